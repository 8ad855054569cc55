package io.enipam.sdk.cluster;

import io.enipam.sdk.Source;
import java.util.List;
import java.util.Optional;

/**
 * The objects of a kind, in memory: listed once, then kept by a watch. A watch that breaks is opened again, and where the server has
 * forgotten its history, or nothing is heard for minutes, all objects are listed again; what changed meanwhile is reported as a change.
 * Thread-safe; no method blocks or makes a request.
 */
public interface Informer extends AutoCloseable {
    /**
     * Whether all objects were listed, and the watch is at work or was half a minute ago. Where it is not, the copy is incomplete or old, and
     * nothing should be decided on it.
     */
    boolean isCurrent();

    /** Why it is not current, for an operator; empty text if it is. */
    String problem();

    /** @param key {@link ObjectRef#key} */
    Optional<ClusterObject> get(String key);

    /** All of them, in no order. */
    List<ClusterObject> list();

    /** Those whose labels match, in no order. */
    default List<ClusterObject> list(LabelSelector selector) {
        return list().stream()
                .filter(object -> selector.matches(object.labels()))
                .toList();
    }

    /**
     * The objects' keys for a controller: each when it is opened, and each that is added, changed or deleted. It is synced once the copy is
     * current, and lost when it is so no more.
     *
     * @return its name is the kind's plural
     */
    Source source();

    /** What is known of the objects is not kept up any more, and its sources tell nothing. Has no effect when called again. */
    @Override
    void close();
}
