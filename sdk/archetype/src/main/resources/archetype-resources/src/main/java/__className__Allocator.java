package ${package};

import io.enipam.sdk.Allocator;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Decision;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Grant;
import io.enipam.sdk.Host;
import io.enipam.sdk.Prefix;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Gives each owner an address of a list, and keeps a file for each that is taken, for other programs to read. Thread-safe: what
 * it knows is in the table.
 */
final class ${className}Allocator implements Allocator {
    /** The name by which enipam.yaml, a network's configuration and the shell know it. */
    static final String NAME = "${artifactId}";

    static final Setting<List<String>> ADDRESSES = Setting.texts(
                    "addresses", "addresses such as 10.0.0.2/24", "[0-9a-f.:]+/[0-9]+", 1_000, List.of())
            .doc("The addresses to give.");

    /** By address; the value is the claim that has it. */
    private static final Table<String> TAKEN = new Table<>("taken", 1, Codec.text());

    private final List<String> addresses;
    private final Path directory;

    ${className}Allocator(Host host) {
        addresses = host.settings().get(ADDRESSES);
        directory = host.directory();
        host.journal().open(TAKEN);
    }

    @Override
    public Decision allocate(Claim claim, Transaction tx) {
        for (String address : addresses) {
            if (tx.get(TAKEN, address).isEmpty()) {
                tx.put(TAKEN, address, claim.id().text());
                tx.effect("write", address, claim.id().text());
                return Grant.of(claim.id(), Prefix.of(address));
            }
        }
        return Decision.refuse(ErrorKind.ADDRESSES_EXHAUSTED, "all " + addresses.size() + " addresses are taken");
    }

    @Override
    public void release(Grant grant, Transaction tx) {
        for (Prefix prefix : grant.prefixes()) {
            tx.delete(TAKEN, prefix.address().toString());
            tx.effect("delete", prefix.address().toString(), grant.claim().text());
        }
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        Path file = directory.resolve(effect.token().replace('/', '_'));
        try {
            if (effect.handler().equals("write")) {
                Files.writeString(file, effect.arguments());
            } else if (Files.exists(file) && Files.readString(file).equals(effect.arguments())) {
                Files.delete(file);
            }
            return CompletableFuture.completedStage(EffectResult.performed());
        } catch (IOException e) {
            return CompletableFuture.completedStage(Failed.of(ErrorKind.UNAVAILABLE, e.toString()));
        }
    }

    @Override
    public CompletionStage<List<Grant>> observe() {
        List<Grant> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String address = file.getFileName().toString().replace('_', '/');
                found.add(Grant.of(new ClaimId(Files.readString(file)), Prefix.of(address)));
            }
            return CompletableFuture.completedStage(found);
        } catch (IOException e) {
            return CompletableFuture.failedStage(e);
        }
    }
}
