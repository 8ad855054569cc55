package io.enipam.examples.cidr;

import inet.ipaddr.IPAddress;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** {@code ranges}: how full each range is; of a factory that is not open, what the ranges would be. */
final class RangesDiagnostic implements Diagnostic {
    private static final List<String> COLUMNS = List.of("RANGE", "GATEWAY", "SIZE", "USED", "FREE");
    private static final String UNKNOWN = "-";

    private final Supplier<Optional<CidrFactory>> factory;

    RangesDiagnostic(Supplier<Optional<CidrFactory>> factory) {
        this.factory = factory;
    }

    @Override
    public String name() {
        return "ranges";
    }

    @Override
    public String summary() {
        return "How full each range is; the size leaves out gateways, exclusions, network and broadcast addresses.";
    }

    @Override
    public DiagnosticTable run(DiagnosticRequest request) {
        List<List<String>> rows = factory.get()
                .map(open -> open.ask(RangesDiagnostic::filled))
                .orElseGet(() -> planned(AddressPlan.of(request.settings())));
        return new DiagnosticTable(COLUMNS, rows);
    }

    private static List<List<String>> filled(AllocationIndex book) {
        List<IPAddress> used = book.allocations().stream()
                .flatMap(a -> a.grants().stream())
                .map(Allocation.Grant::address)
                .toList();
        List<List<String>> rows = new ArrayList<>();
        for (Range range : book.plan().ranges()) {
            long usedHere = used.stream().filter(range::contains).count();
            rows.add(row(range, book.plan(), String.valueOf(usedHere), String.valueOf(book.freeIn(range))));
        }
        long elsewhere =
                used.stream().filter(a -> book.plan().rangeOf(a).isEmpty()).count();
        if (elsewhere > 0) {
            rows.add(List.of("(no longer configured)", UNKNOWN, "0", String.valueOf(elsewhere), "0"));
        }
        return rows;
    }

    private static List<List<String>> planned(AddressPlan plan) {
        return plan.ranges().stream()
                .map(range -> row(range, plan, UNKNOWN, UNKNOWN))
                .toList();
    }

    private static List<String> row(Range range, AddressPlan plan, String used, String free) {
        BigInteger size = plan.grantableIn(range);
        return List.of(
                range.block().text(), range.gateway().map(IpText::show).orElse(UNKNOWN), size.toString(), used, free);
    }
}
