package io.enipam.diagnostics.doctor.fact;

import io.enipam.engine.port.EniDirectory;
import java.util.List;

/** The ENIs that the factories keep. */
public record EniFacts(List<EniDirectory.Eni> enis) {
    public EniFacts {
        enis = List.copyOf(enis);
    }
}
