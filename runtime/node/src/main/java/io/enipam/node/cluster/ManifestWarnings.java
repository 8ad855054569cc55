package io.enipam.node.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.engine.port.EventSink;
import io.enipam.kubernetes.pods.ParsedManifest;
import io.enipam.sdk.PodRef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Tells once what a pod's manifest says that cannot be obeyed, however often the pod changes otherwise. Thread-safe. */
final class ManifestWarnings {
    /** As in terway, the mode decides what a pod gets; there nobody is told. */
    private static final String NO_ENI =
            "the pod asks for an ENI of its own (annotation k8s.aliyun.com/ENI or resource aliyun/eni), but this node's"
                    + " pods share ENIs: it gets an address of one; for an ENI of its own, run it on a node with daemon.mode"
                    + " ENIOnly";

    private final EventSink events;
    private final BooleanSupplier sharesEnis;

    @GuardedBy("this")
    private final Map<PodRef, List<String>> told = new HashMap<>();

    /** @param sharesEnis whether pods share ENIs here, so that one that wants an ENI of its own gets none; false as long as that is not known */
    ManifestWarnings(EventSink events, BooleanSupplier sharesEnis) {
        this.events = events;
        this.sharesEnis = sharesEnis;
    }

    void seen(ParsedManifest manifest) {
        PodRef pod = manifest.pod().ref();
        List<String> complaints = new ArrayList<>(manifest.complaints());
        if (manifest.pod().wishes().ownEni() && !manifest.pod().finished() && sharesEnis.getAsBoolean()) {
            complaints.add(NO_ENI);
        }
        List<String> before;
        synchronized (this) {
            List<String> known = complaints.isEmpty() ? told.remove(pod) : told.put(pod, List.copyOf(complaints));
            before = known == null ? List.of() : known;
        }
        complaints.stream()
                .filter(complaint -> !before.contains(complaint))
                .forEach(complaint -> events.warning("ManifestInvalid", pod.toString(), complaint));
    }

    synchronized void over(PodRef pod) {
        told.remove(pod);
    }
}
