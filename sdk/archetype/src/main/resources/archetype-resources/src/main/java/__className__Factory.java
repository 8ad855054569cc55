package ${package};

import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Codec;
import io.enipam.sdk.CreateRequest;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.DisposeResult;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Failed;
import io.enipam.sdk.Family;
import io.enipam.sdk.Journal;
import io.enipam.sdk.PluginContext;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.enipam.sdk.Row;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Makes the addresses of a list. Which of them exist is in a table of the plugin's, so that it is known after a restart; there is
 * nothing else to make. Thread-safe: transactions of the journal are.
 */
final class ${className}Factory implements ResourceFactory {
    /** The name by which enipam.yaml and the shell know it. */
    static final String NAME = "${artifactId}";

    static final Setting<List<String>> ADDRESSES = Setting.texts(
                    "addresses", "IPv4 addresses such as 10.0.0.2/24", "[0-9.]{7,15}/[0-9]{1,2}", 1_000, List.of())
            .doc("The addresses to lend.");

    private static final ResourceKind KIND = new ResourceKind("host-local");

    /** By address; the value is the token of the request that it was made for. */
    private static final Table<String> MADE = new Table<>("made", 1, Codec.text());

    private final List<String> addresses;
    private final Journal journal;
    private final Clock clock;

    ${className}Factory(PluginContext context) {
        addresses = context.settings().get(ADDRESSES);
        if (addresses.isEmpty()) {
            throw new FactoryException(ErrorKind.MISCONFIGURED, "plugins." + NAME + ".addresses is empty");
        }
        clock = context.clock();
        journal = context.journal();
        journal.open(MADE);
    }

    @Override
    public ResourceKind kind() {
        return KIND;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(Set.of(Family.IPV4), addresses.size(), 1, true);
    }

    @Override
    public List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
        return requests.stream()
                .map(request -> journal.commit(tx -> make(request, tx))
                        .exceptionally(failure -> failed(failure)))
                .toList();
    }

    private CreateResult make(CreateRequest request, Transaction tx) {
        if (!request.families().equals(Set.of(Family.IPV4))) {
            return Failed.of(ErrorKind.MISCONFIGURED, "asked for " + request.families() + ", there is IPv4 alone");
        }
        if (!clock.instant().isBefore(request.deadline())) {
            return Failed.of(ErrorKind.DEADLINE_EXCEEDED, "the request came after its deadline");
        }
        String token = request.token().toString();
        List<Row<String>> made = tx.scan(MADE, "").toList();
        for (Row<String> row : made) {
            if (row.value().equals(token)) {
                return new Created(resource(row.key())); // the answer was lost
            }
        }
        for (String address : addresses) {
            if (made.stream().noneMatch(row -> row.key().equals(address))) {
                tx.put(MADE, address, token);
                return new Created(resource(address));
            }
        }
        return Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "all " + addresses.size() + " addresses exist");
    }

    @Override
    public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
        return resources.stream()
                .map(resource -> journal.<DisposeResult>commit(tx -> {
                            tx.delete(MADE, resource.id().value());
                            return new Disposed(resource.id()); // also if it was gone already
                        })
                        .exceptionally(failure -> failed(failure)))
                .toList();
    }

    @Override
    public CompletionStage<List<Resource>> list() {
        return CompletableFuture.completedStage(journal.read(
                tx -> tx.scan(MADE, "").map(row -> resource(row.key())).toList()));
    }

    private static Failed failed(Throwable failure) {
        return Failed.of(ErrorKind.UNAVAILABLE, "the journal said: " + failure);
    }

    private static Resource resource(String address) {
        return new Resource(new ResourceId(address), KIND, List.of(Address.parse(address)), "", Map.of());
    }

    @Override
    public void close() {}
}
