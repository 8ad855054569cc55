package io.enipam.engine.startup;

/** The steps of the start-up, in their order; {@link Startup} says what each of them does. */
public enum StartupStep {
    /** The leases and holds of the database come back. */
    OPEN("open the database"),
    /** What was begun and not ended is found, to be finished or undone. */
    OPERATIONS("finish or undo pending operations"),
    /** The active factory says what there is. */
    CLOUD("list the cloud"),
    /** The kernel says which sandboxes are connected. */
    KERNEL("list the kernel"),
    /** The API server says which pods run here. */
    PODS("list the pods"),
    /** Everybody's word is compared, and what follows is on disk. */
    POOL("build the pool"),
    /** ADD is answered from here on. */
    SERVE("serve");

    private final String label;

    StartupStep(String words) {
        this.label = words;
    }

    /** What is done, for a person. */
    public String label() {
        return label;
    }
}
