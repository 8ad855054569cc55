package io.enipam.diagnostics.doctor.fact;

import io.enipam.aliyun.CloudProbe.VSwitchRoom;
import java.util.List;

/** The vSwitches that ENIs are made in, as the cloud counts them now. */
public record VSwitchFacts(List<VSwitchRoom> rooms) {
    public VSwitchFacts {
        rooms = List.copyOf(rooms);
    }
}
