package io.enipam.engine.port;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import java.util.List;
import java.util.Optional;

/**
 * Where the engine and the modules beside it record the traces of their operations. Thread-safe, never blocks, never
 * throws.
 */
public interface TraceSink {
    TraceSink NONE = (operation, subject) -> Trace.NONE;

    Trace begin(Trace.Operation operation, Subject subject);

    /**
     * What a trace is about, as far as that is known when it begins.
     *
     * @param name of what is no sandbox: a request's token, a resource's id, what a call of the cloud is about; or
     *     empty text
     * @param serves the requests (tokens) and resources (ids) that wait for it: it is part of each one's trace
     */
    record Subject(Optional<OwnerKey> owner, Optional<PodRef> pod, String name, List<String> serves) {
        public Subject {
            serves = List.copyOf(serves);
        }

        public static Subject of(OwnerKey owner, PodRef pod) {
            return new Subject(Optional.of(owner), Optional.of(pod), "", List.of());
        }

        /** A sandbox of a pod that is not known. */
        public static Subject of(OwnerKey owner) {
            return new Subject(Optional.of(owner), Optional.empty(), "", List.of());
        }

        public static Subject named(String name) {
            return new Subject(Optional.empty(), Optional.empty(), name, List.of());
        }

        public static Subject named(String name, List<String> serves) {
            return new Subject(Optional.empty(), Optional.empty(), name, serves);
        }
    }
}
