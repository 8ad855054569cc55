package io.enipam.diagnostics.doctor;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Who does each repair. Built once, then only read; thread-safe if the operations are. */
public final class Repairs {
    /** Does it, or says what it would do. */
    @FunctionalInterface
    public interface Operation {
        /** Completes with what was done or would be, one line each; fails with IpamException. */
        CompletionStage<List<String>> run(boolean dryRun);
    }

    private final Map<Repair, Operation> operations = new EnumMap<>(Repair.class);

    public Repairs with(Repair repair, Operation operation) {
        operations.put(repair, operation);
        return this;
    }

    CompletionStage<List<String>> run(Repair repair, boolean dryRun) {
        Operation operation = operations.get(repair);
        if (operation == null) {
            return CompletableFuture.failedStage(new IllegalStateException("nobody does " + repair));
        }
        return operation.run(dryRun);
    }
}
