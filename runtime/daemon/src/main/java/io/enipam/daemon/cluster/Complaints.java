package io.enipam.daemon.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.EventSink;
import io.enipam.kubernetes.pods.Manifest;
import io.enipam.sdk.PodRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tells once what a pod's manifest says that cannot be obeyed, however often the pod changes otherwise. Thread-safe. */
final class Complaints {
    private final EventSink events;

    @GuardedBy("this")
    private final Map<PodRef, List<String>> told = new HashMap<>();

    Complaints(EventSink events) {
        this.events = events;
    }

    void seen(Manifest manifest) {
        PodRef pod = manifest.pod().ref();
        List<String> before;
        synchronized (this) {
            List<String> known =
                    manifest.complaints().isEmpty() ? told.remove(pod) : told.put(pod, manifest.complaints());
            before = known == null ? List.of() : known;
        }
        manifest.complaints().stream()
                .filter(complaint -> !before.contains(complaint))
                .forEach(complaint -> events.warning("ManifestInvalid", pod.toString(), complaint));
    }

    synchronized void over(PodRef pod) {
        told.remove(pod);
    }
}
