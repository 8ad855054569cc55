package io.enipam.diagnostics.testing;

import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.engine.port.TimeSource;
import java.util.List;
import java.util.Map;

/** A doctor who knows nothing. */
public final class FakeDoctor {
    private FakeDoctor() {}

    public static Doctor none(TimeSource time) {
        return new Doctor(List::of, new Probes(), Map.of(), time);
    }
}
