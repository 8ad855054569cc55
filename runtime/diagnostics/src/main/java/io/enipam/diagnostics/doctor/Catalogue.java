package io.enipam.diagnostics.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** All checks of the doctor. */
public final class Catalogue {
    private Catalogue() {}

    /** The checks of all subjects, by id. */
    public static List<Check> all() {
        return Stream.of(
                        ClockChecks.all(),
                        CloudChecks.all(),
                        ClusterChecks.all(),
                        ConfigChecks.all(),
                        DatabaseChecks.all(),
                        EniChecks.all(),
                        KernelChecks.all(),
                        LeaseChecks.all(),
                        PoolChecks.all(),
                        ProcessChecks.all(),
                        SourceChecks.all())
                .flatMap(List::stream)
                .sorted(Comparator.comparing(Check::id))
                .toList();
    }
}
