package io.enipam.examples.swarm.model;

import java.util.List;

/**
 * A task of a service, or one by itself.
 *
 * @param service its id; empty for a task by itself
 * @param name as {@code SERVICE.SLOT}
 * @param node its id; empty if it is assigned to none
 * @param wanted its own networks, for a task by itself
 * @param networks what is allocated
 * @param endpoint the service's
 */
public record Task(
        String id,
        String service,
        String name,
        String node,
        List<AttachmentSpec> wanted,
        List<Attachment> networks,
        Endpoint endpoint,
        Status status) {
    /** How far a task is; the order is that of their lives. */
    public enum State {
        NEW(0),
        PENDING(64),
        ASSIGNED(192),
        ACCEPTED(256),
        PREPARING(320),
        READY(384),
        STARTING(448),
        RUNNING(512),
        COMPLETE(576),
        SHUTDOWN(640),
        FAILED(704),
        REJECTED(768),
        REMOVE(800),
        ORPHANED(832);

        private final int number;

        State(int number) {
            this.number = number;
        }

        public int number() {
            return number;
        }

        /** Whether it needs no addresses any more. */
        public boolean terminal() {
            return compareTo(RUNNING) > 0;
        }
    }

    /** @param at when it came to be, in milliseconds since the epoch */
    public record Status(State state, String message, long at) {}

    public Task {
        wanted = List.copyOf(wanted);
        networks = List.copyOf(networks);
    }

    /** The number behind the last dot of its name; 0 where there is none. */
    public int slot() {
        String slot = name.substring(name.lastIndexOf('.') + 1);
        boolean number = !slot.isEmpty() && slot.length() <= 6 && slot.chars().allMatch(c -> c >= '0' && c <= '9');
        return number ? Integer.parseInt(slot) : 0;
    }

    public Task with(List<Attachment> allocated, Endpoint reached) {
        return new Task(id, service, name, node, wanted, allocated, reached, status);
    }

    public Task with(Status now) {
        return new Task(id, service, name, node, wanted, networks, endpoint, now);
    }

    public Task on(String assigned) {
        return new Task(id, service, name, assigned, wanted, networks, endpoint, status);
    }
}
