package io.enipam.engine.pool;

/**
 * One factory of a pool at one moment.
 *
 * @param name the name by which configuration knows it
 * @param role what it does in the pool
 * @param resources how many resources of its the pool has, in whatever state
 * @param leases how many of them are lent
 */
public record FactoryView(String name, Role role, int resources, int leases) {
    /** What a factory does in a pool. */
    public enum Role {
        /** Makes whatever is made. */
        ACTIVE,
        /** Is about to take over: makes its first resources. */
        COMING,
        /** Makes nothing more and takes back what it made. */
        LEAVING
    }
}
