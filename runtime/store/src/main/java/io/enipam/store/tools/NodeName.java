package io.enipam.store.tools;

/**
 * Whose records a file holds.
 *
 * @param node the node's name, as the daemon knows it; empty text if nobody said
 * @param instance the cloud's id of the machine; empty text as long as no cloud has told it
 */
public record NodeName(String node, String instance) {
    /** Whether both are known to be another machine: by the cloud's ids if both have one, else by their names. */
    public boolean differsFrom(NodeName other) {
        if (!instance.isEmpty() && !other.instance.isEmpty()) {
            return !instance.equals(other.instance);
        }
        return !node.isEmpty() && !other.node.isEmpty() && !node.equals(other.node);
    }

    @Override
    public String toString() {
        return instance.isEmpty() ? node : node + " (" + instance + ")";
    }
}
