package io.enipam.diagnostics.doctor;

import io.enipam.config.ConfigReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** All checks of the doctor, and their reference, which is generated from their texts. */
public final class Catalogue {
    private Catalogue() {}

    public static List<Check> all() {
        return Stream.of(
                        ClockChecks.ALL,
                        CloudChecks.ALL,
                        ClusterChecks.ALL,
                        ConfigChecks.ALL,
                        ExtensionChecks.ALL,
                        KernelChecks.ALL,
                        PoolChecks.ALL,
                        ProcessChecks.ALL,
                        SourceChecks.ALL)
                .flatMap(List::stream)
                .sorted(Comparator.comparing(Check::id))
                .toList();
    }

    public static List<String> reference() {
        List<String> lines = new ArrayList<>();
        lines.add("# The doctor's checks");
        lines.add("");
        lines.add("Made by `enipamd --doctor-reference`; `doctor --explain ID` tells the same of one of them.");
        all().forEach(check -> add(check, lines));
        return lines;
    }

    private static void add(Check check, List<String> lines) {
        lines.addAll(List.of("", "## `" + check.id() + "`", ""));
        lines.addAll(List.of(check.title() + "; at worst " + check.worst() + ".", ""));
        ConfigReference.item(lines, "Looks at: " + check.looksAt());
        ConfigReference.item(lines, "Why: " + check.why());
        ConfigReference.item(lines, "Fix: " + check.fix());
        check.repair()
                .map(repair -> " (as `" + repair.command() + "`): " + repair.words())
                .ifPresent(does -> ConfigReference.item(lines, "`doctor --repair " + check.id() + "`" + does));
    }
}
