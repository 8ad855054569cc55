package io.enipam.examples.cidr;

import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** {@code addresses}: what the ledger says is lent, all or of one range. */
final class AddressesDiagnostic implements Diagnostic {
    static final Setting<String> RANGE = Setting.text(
                    "range", "a range as configured, or nothing for all", "[0-9a-fA-F:./-]{0,100}", "")
            .doc("The range whose addresses are shown.");

    private static final List<String> COLUMNS = List.of("ADDRESS", "RANGE", "GATEWAY", "SINCE", "TOKEN");
    private static final String UNKNOWN = "-";

    private final Supplier<Optional<CidrFactory>> factory;

    AddressesDiagnostic(Supplier<Optional<CidrFactory>> factory) {
        this.factory = factory;
    }

    @Override
    public String name() {
        return "addresses";
    }

    @Override
    public String summary() {
        return "The addresses in use, by the factory's ledger.";
    }

    @Override
    public List<Setting<?>> parameters() {
        return List.of(RANGE);
    }

    @Override
    public DiagnosticTable run(DiagnosticRequest request) {
        CidrFactory open = factory.get()
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE, "the cidr factory is not open: plugin swap factory cidr opens it"));
        String wanted = request.arguments().get(RANGE);
        return new DiagnosticTable(COLUMNS, open.ask(book -> rows(book, wanted)));
    }

    private static List<List<String>> rows(AllocationIndex book, String wanted) {
        List<String> known =
                book.plan().ranges().stream().map(r -> r.block().text()).toList();
        if (!wanted.isEmpty() && !known.contains(wanted)) {
            throw new FactoryException(
                    ErrorKind.NOT_FOUND,
                    "no range " + wanted + " is configured; there are " + String.join(", ", known));
        }
        List<List<String>> rows = new ArrayList<>();
        for (Allocation allocation : book.allocations()) {
            for (Allocation.Grant grant : allocation.grants()) {
                String range = book.plan()
                        .rangeOf(grant.address())
                        .map(r -> r.block().text())
                        .orElse(UNKNOWN);
                if (wanted.isEmpty() || wanted.equals(range)) {
                    rows.add(List.of(
                            grant.toString(),
                            range,
                            grant.gateway().map(IpText::show).orElse(UNKNOWN),
                            allocation.since().toString(),
                            allocation.token().value()));
                }
            }
        }
        return rows;
    }
}
