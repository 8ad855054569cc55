package io.enipam.diagnostics.sources;

import io.enipam.diagnostics.sources.Saying.Topic;
import io.enipam.engine.port.EniDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** The book of ENIs: what the cloud's factories believe that the cloud has. */
public final class BookSource implements Source<EniBook> {
    private final EniDirectory enis;
    private final BooleanSupplier used;

    /** @param used whether any factory works on ENIs */
    public BookSource(EniDirectory enis, BooleanSupplier used) {
        this.enis = enis;
        this.used = used;
    }

    @Override
    public String name() {
        return "ENI book";
    }

    @Override
    public Class<EniBook> type() {
        return EniBook.class;
    }

    @Override
    public Optional<String> absent() {
        return used.getAsBoolean() ? Optional.empty() : Optional.of("no address of this node comes from an ENI");
    }

    @Override
    public Duration patience() {
        return Duration.ofSeconds(2);
    }

    @Override
    public CompletionStage<EniBook> ask() {
        return CompletableFuture.completedFuture(new EniBook(enis.enis()));
    }

    @Override
    public List<Saying> sayings(EniBook told) {
        List<Saying> all = new ArrayList<>();
        told.enis()
                .forEach(eni -> all.add(new Saying(
                        Topic.ENI,
                        eni.id(),
                        Saying.hosts(eni.all()),
                        eni.id(),
                        Optional.empty(),
                        Optional.empty(),
                        eni.state(),
                        Optional.of(eni.since()),
                        "on " + eni.id() + ", which is " + eni.state() + " and has "
                                + eni.addresses().size() + " of " + eni.addressLimit() + " addresses")));
        return all;
    }
}
