package io.enipam.examples.cidr;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** {@code damage}: files in the ledger that are no allocations, and the addresses nobody gets because of them. */
final class DamageDiagnostic implements Diagnostic {
    private static final List<String> COLUMNS = List.of("FILE", "NOT GIVEN", "REASON");
    private static final String NOTHING = "-";

    private final Supplier<Optional<CidrFactory>> factory;

    DamageDiagnostic(Supplier<Optional<CidrFactory>> factory) {
        this.factory = factory;
    }

    @Override
    public String name() {
        return "damage";
    }

    @Override
    public String summary() {
        return "Files in the ledger that are no allocations, and the addresses kept back because of them.";
    }

    @Override
    public DiagnosticTable run(DiagnosticRequest request) {
        CidrFactory open = factory.get()
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE, "the cidr factory is not open: plugin swap factory cidr opens it"));
        return new DiagnosticTable(
                COLUMNS,
                open.ask(AllocationIndex::damages).stream()
                        .map(DamageDiagnostic::row)
                        .toList());
    }

    private static List<String> row(AllocationStore.Damage damage) {
        String kept = damage.barred().stream().sorted().map(IpText::show).collect(Collectors.joining(", "));
        return List.of(damage.file(), kept.isEmpty() ? NOTHING : kept, damage.reason());
    }
}
