package io.enipam.daemon.testing;

import io.enipam.daemon.doctor.Doctor;
import io.enipam.daemon.doctor.Probes;
import io.enipam.daemon.doctor.Repairs;
import io.enipam.engine.port.TimeSource;
import java.util.List;

/** A doctor who knows nothing. */
public final class FakeDoctor {
    private FakeDoctor() {}

    public static Doctor none(TimeSource time) {
        return new Doctor(List.of(), new Probes(), new Repairs(), time);
    }
}
