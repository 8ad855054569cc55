package io.enipam.examples.swarm.state;

/** With what the keys of the allocator begin, {@code KIND/ROW}: before the key of a row, in which the object is. */
public final class Keys {
    public static final String NETWORK = "network/";
    public static final String NODE = "node/";
    public static final String SERVICE = "service/";
    public static final String TASK = "task/";

    private Keys() {}
}
