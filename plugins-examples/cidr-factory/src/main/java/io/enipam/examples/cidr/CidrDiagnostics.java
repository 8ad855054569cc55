package io.enipam.examples.cidr;

import io.enipam.examples.cidr.AddressPlan.Range;
import io.enipam.sdk.Diagnostic;
import io.enipam.sdk.DiagnosticRequest;
import io.enipam.sdk.DiagnosticTable;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Setting;
import io.enipam.sdk.ranges.Ip;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The diagnostics of the plugin, as rows: name, summary, parameters and the table that each makes. */
final class CidrDiagnostics {
    private static final Setting<String> RANGE = Setting.text(
                    "range", "a range as configured, or nothing for all", "[0-9a-fA-F:./-]{0,100}", "")
            .doc("The range whose addresses are shown.");
    private static final String UNKNOWN = "-";

    private CidrDiagnostics() {}

    /** @param factory the open factory, if there is one */
    static List<Diagnostic> of(Supplier<Optional<CidrFactory>> factory) {
        return List.of(
                Diagnostic.of(
                        "ranges",
                        "How full each range is; the size leaves out gateways, exclusions, network and broadcast"
                                + " addresses.",
                        List.of(),
                        request -> ranges(factory.get(), request)),
                Diagnostic.of(
                        "addresses",
                        "The addresses in use, by the factory's ledger.",
                        List.of(RANGE),
                        request -> addresses(open(factory), request.arguments().get(RANGE))),
                Diagnostic.of(
                        "damage",
                        "Files in the ledger that are no allocations, and the addresses kept back because of them.",
                        List.of(),
                        request -> damage(open(factory))));
    }

    private static CidrFactory open(Supplier<Optional<CidrFactory>> factory) {
        return factory.get()
                .orElseThrow(() -> new FactoryException(
                        ErrorKind.UNAVAILABLE, "the cidr factory is not open: plugin swap factory cidr opens it"));
    }

    /** How full each range is; of a factory that is not open, what the ranges would be. */
    private static DiagnosticTable ranges(Optional<CidrFactory> factory, DiagnosticRequest request) {
        return new DiagnosticTable(
                List.of("RANGE", "GATEWAY", "SIZE", "USED", "FREE"),
                factory.map(open -> open.ask(CidrDiagnostics::filled))
                        .orElseGet(() -> planned(AddressPlan.of(request.settings()))));
    }

    private static List<List<String>> filled(AllocationIndex index) {
        List<Ip> used = index.allocations().stream()
                .flatMap(a -> a.grants().stream())
                .map(Allocation.Grant::address)
                .toList();
        List<List<String>> rows = new ArrayList<>();
        for (Range range : index.plan().ranges()) {
            long usedHere = used.stream().filter(range::contains).count();
            rows.add(row(range, index.plan(), String.valueOf(usedHere), String.valueOf(index.freeIn(range))));
        }
        long elsewhere =
                used.stream().filter(a -> index.plan().rangeOf(a).isEmpty()).count();
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
                range.block().text(), range.gateway().map(Ip::toString).orElse(UNKNOWN), size.toString(), used, free);
    }

    private static DiagnosticTable addresses(CidrFactory factory, String wanted) {
        return new DiagnosticTable(
                List.of("ADDRESS", "RANGE", "GATEWAY", "SINCE", "TOKEN"),
                factory.ask(index -> addresses(index, wanted)));
    }

    private static List<List<String>> addresses(AllocationIndex index, String wanted) {
        List<String> known =
                index.plan().ranges().stream().map(r -> r.block().text()).toList();
        if (!wanted.isEmpty() && !known.contains(wanted)) {
            throw new FactoryException(
                    ErrorKind.NOT_FOUND,
                    "no range " + wanted + " is configured; there are " + String.join(", ", known));
        }
        List<List<String>> rows = new ArrayList<>();
        for (Allocation allocation : index.allocations()) {
            for (Allocation.Grant grant : allocation.grants()) {
                String range = index.plan()
                        .rangeOf(grant.address())
                        .map(r -> r.block().text())
                        .orElse(UNKNOWN);
                if (wanted.isEmpty() || wanted.equals(range)) {
                    rows.add(List.of(
                            grant.toString(),
                            range,
                            grant.gateway().map(Ip::toString).orElse(UNKNOWN),
                            allocation.since().toString(),
                            allocation.token().value()));
                }
            }
        }
        return rows;
    }

    private static DiagnosticTable damage(CidrFactory factory) {
        return new DiagnosticTable(
                List.of("FILE", "NOT GIVEN", "REASON"),
                factory.ask(AllocationIndex::damages).stream()
                        .map(CidrDiagnostics::row)
                        .toList());
    }

    private static List<String> row(AllocationStore.Damage damage) {
        String kept = damage.barred().stream().sorted().map(Ip::toString).collect(Collectors.joining(", "));
        return List.of(damage.file(), kept.isEmpty() ? UNKNOWN : kept, damage.reason());
    }
}
