package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Statement.Topic;
import io.enipam.engine.port.EniDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** The registry of ENIs: what the cloud's factories have recorded of the cloud. */
public final class EniSource extends Source<EniSource.KnownEnis> {
    private final EniDirectory enis;
    private final BooleanSupplier used;

    /** @param used whether any factory works on ENIs */
    public EniSource(EniDirectory enis, BooleanSupplier used) {
        super(ENI_REGISTRY, KnownEnis.class, Duration.ofSeconds(2));
        this.enis = enis;
        this.used = used;
    }

    /**
     * The ENIs that the factories keep.
     *
     * @param enis ordered by id
     */
    public record KnownEnis(List<EniDirectory.Eni> enis) {
        public KnownEnis {
            enis = List.copyOf(enis);
        }

        public Optional<EniDirectory.Eni> eni(String id) {
            return enis.stream().filter(eni -> eni.id().equals(id)).findFirst();
        }
    }

    @Override
    public Optional<String> absent() {
        return used.getAsBoolean() ? Optional.empty() : Optional.of("no address of this node comes from an ENI");
    }

    @Override
    public CompletionStage<KnownEnis> ask() {
        return CompletableFuture.completedFuture(new KnownEnis(enis.enis()));
    }

    @Override
    public List<Statement> statements(KnownEnis answer) {
        return answer.enis().stream()
                .map(eni -> Statement.of(
                        Topic.ENI,
                        Statement.hosts(eni.all()),
                        eni.id(),
                        eni.state(),
                        Optional.of(eni.since()),
                        "on " + eni.id() + ", which is " + eni.state() + " and has "
                                + eni.addresses().size() + " of " + eni.addressLimit() + " addresses"))
                .toList();
    }
}
