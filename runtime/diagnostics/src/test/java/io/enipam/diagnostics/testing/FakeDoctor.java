package io.enipam.diagnostics.testing;

import io.enipam.diagnostics.doctor.Doctor;
import io.enipam.diagnostics.doctor.Probes;
import io.enipam.diagnostics.doctor.Repairs;
import io.enipam.engine.port.TimeSource;
import java.util.List;

/** A doctor who knows nothing. */
public final class FakeDoctor {
    private FakeDoctor() {}

    public static Doctor none(TimeSource time) {
        return new Doctor(List.of(), new Probes(), new Repairs(), time);
    }
}
