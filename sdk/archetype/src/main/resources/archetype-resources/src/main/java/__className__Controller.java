package ${package};

import io.enipam.sdk.Codec;
import io.enipam.sdk.Controller;
import io.enipam.sdk.Effect;
import io.enipam.sdk.EffectResult;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Host;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Next;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * Gives each file of the directory {@code wanted} a number of its own, and writes it into a file of the same name in
 * {@code given}. Thread-safe: what it knows is in the table, and in the source.
 */
final class ${className}Controller implements Controller {
    /** The name by which enipam.yaml and the shell know it. */
    static final String NAME = "${artifactId}";

    /** By file; the value is its number. */
    static final Table<String> NUMBERS = new Table<>("numbers", 1, Codec.text());

    private final Journal journal;
    private final ${className}Source wanted;
    private final Path given;

    ${className}Controller(Host host) {
        try {
            wanted = new ${className}Source(Files.createDirectories(host.directory().resolve("wanted")));
            given = Files.createDirectories(host.directory().resolve("given"));
        } catch (IOException e) {
            throw new FactoryException(ErrorKind.UNAVAILABLE, e.toString(), e);
        }
        journal = host.journal();
        journal.open(NUMBERS);
    }

    @Override
    public List<Source> watches() {
        return List.of(wanted, Source.ofTable(journal, NUMBERS)); // also tells what was removed meanwhile
    }

    @Override
    public Next reconcile(String name, Transaction tx) {
        boolean exists = wanted.has(name);
        boolean known = tx.get(NUMBERS, name).isPresent();
        if (exists && !known) {
            String free = firstFree(tx.scan(NUMBERS, "").map(Row::value).collect(Collectors.toSet()));
            tx.put(NUMBERS, name, free);
            tx.effect("write", name, free);
        } else if (known && !exists) {
            tx.delete(NUMBERS, name);
            tx.effect("delete", name, "");
        }
        return Next.done();
    }

    private static String firstFree(Set<String> taken) {
        int number = 1;
        while (taken.contains(String.valueOf(number))) {
            number++;
        }
        return String.valueOf(number);
    }

    @Override
    public CompletionStage<EffectResult> perform(Effect effect) {
        try {
            if (effect.handler().equals("write")) {
                Files.writeString(given.resolve(effect.token()), effect.arguments());
            } else {
                Files.deleteIfExists(given.resolve(effect.token()));
            }
            return CompletableFuture.completedStage(EffectResult.performed());
        } catch (IOException e) {
            return CompletableFuture.completedStage(Failed.of(ErrorKind.UNAVAILABLE, e.toString()));
        }
    }
}
