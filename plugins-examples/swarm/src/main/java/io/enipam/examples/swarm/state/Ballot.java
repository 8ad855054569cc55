package io.enipam.examples.swarm.state;

import io.enipam.examples.swarm.model.Task;
import io.enipam.sdk.Claim;
import io.enipam.sdk.ClaimId;
import io.enipam.sdk.Family;
import io.enipam.sdk.Subject;
import io.enipam.sdk.Wishes;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ballot on which tasks wait. The allocator's own vote is the cast: a task is put on the ballot by the very transaction that gives it
 * its networks, so that none is PENDING without them, whichever voters there are. A claim's id is the key of the task's row.
 */
public final class Ballot {
    public static final String NAME = "swarm";

    private Ballot() {}

    /** @param row the key of a task's row */
    public static ClaimId id(String row) {
        return new ClaimId(row);
    }

    /** Of a task that has its networks. */
    public static Claim claim(String row, Task task) {
        return new OfTask(id(row), new Owner(Subject.Kind.TASK, row, Map.of("service", task.service()), Map.of()));
    }

    private record Owner(Kind kind, String name, Map<String, String> labels, Map<String, String> annotations)
            implements Subject {}

    private record None(Set<Family> families, List<InetAddress> addresses, Map<String, String> parameters)
            implements Wishes {}

    /** Nobody waits for it with a deadline. */
    private record OfTask(ClaimId id, Subject subject) implements Claim {
        @Override
        public Wishes wishes() {
            return new None(Set.of(), List.of(), Map.of());
        }

        @Override
        public Instant deadline() {
            return Instant.MAX;
        }
    }
}
