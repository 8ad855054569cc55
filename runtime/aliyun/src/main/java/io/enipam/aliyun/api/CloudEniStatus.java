package io.enipam.aliyun.api;

/** Where the cloud says an ENI stands. */
public enum CloudEniStatus {
    AVAILABLE("Available"),
    ATTACHING("Attaching"),
    IN_USE("InUse"),
    DETACHING("Detaching"),
    DELETING("Deleting"),
    /** A status this client does not know: nothing is done on its account. */
    OTHER("");

    private final String wire;

    CloudEniStatus(String wire) {
        this.wire = wire;
    }

    /** As people read it: the API's spelling, or {@code Unknown}. */
    public String label() {
        return wire.isEmpty() ? "Unknown" : wire;
    }

    /** Reads the API's spelling. */
    public static CloudEniStatus parse(String wire) {
        for (CloudEniStatus status : values()) {
            if (status.wire.equals(wire)) {
                return status;
            }
        }
        return OTHER;
    }
}
