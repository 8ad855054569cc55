package io.enipam.acceptance;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One caller that adds and deletes pods and believes only what was acknowledged. A call that a kill cut off is in doubt:
 * it is made again, before any other, until it is acknowledged. Used by one thread at a time.
 */
final class SimulatedKubelet implements AutoCloseable {
    private static final Duration WAIT_FOR_ADDRESS = Duration.ofSeconds(30);
    private static final Duration CALL = Duration.ofSeconds(45);

    private final String name;
    private final RestartableDaemon daemon;
    private final AcknowledgedAddresses lent;
    private final AddressHistory story;
    private final RandomGenerator random;
    private final Runnable onAnswer;
    private final Map<String, Sandbox> held = new TreeMap<>();
    private @Nullable UncertainCall doubt;
    private @Nullable DaemonConnection connection;
    private int wanted;
    private int sandboxes;
    private long acknowledged;
    private long doubts;
    /** What was counted last, so that a call made in vain ten times is one. */
    private Optional<UncertainCall> cutOff = Optional.empty();

    /** @param onAnswer run at each acknowledgement, before anything else is made of it */
    SimulatedKubelet(
            String name,
            RestartableDaemon daemon,
            AcknowledgedAddresses lent,
            AddressHistory story,
            RandomGenerator random,
            Runnable onAnswer) {
        this.name = name;
        this.daemon = daemon;
        this.lent = lent;
        this.story = story;
        this.random = random;
        this.onAnswer = onAnswer;
    }

    /**
     * A pod sandbox.
     *
     * @param address what it was told it has; empty before its ADD was acknowledged
     */
    record Sandbox(String pod, String container, String address) {}

    /**
     * A call whose answer never came.
     *
     * @param add whether it was an ADD; else it was a DEL
     * @param sandbox for an ADD, the address is what a restarted daemon turned out to have for it, or empty
     */
    record UncertainCall(boolean add, Sandbox sandbox) {}

    /** What it was told it has. */
    List<Sandbox> held() {
        return new ArrayList<>(held.values());
    }

    Optional<UncertainCall> doubt() {
        return Optional.ofNullable(doubt);
    }

    /** The ADD in doubt turned out to have been done: its repetition has to say the same. */
    void found(String address) {
        Sandbox sandbox = doubt().orElseThrow().sandbox();
        doubt = new UncertainCall(true, new Sandbox(sandbox.pod(), sandbox.container(), address));
    }

    long acknowledged() {
        return acknowledged;
    }

    long doubts() {
        return doubts;
    }

    /**
     * Adds and deletes until told to stop; the call that is under way then is left in doubt, or ends well.
     *
     * @param most pods it has at once, above 0
     */
    void work(int most, AtomicBoolean stop) {
        wanted = most;
        while (!stop.get()) {
            step(most);
        }
    }

    /** Makes the call in doubt, if there is one, until it is acknowledged. */
    void settle() {
        UncertainCall open = doubt;
        while (open != null) {
            repeat(open);
            open = doubt;
        }
    }

    /** Deletes all it has. */
    void clear() {
        settle();
        while (!held.isEmpty()) {
            delete(held.values().iterator().next());
        }
    }

    private void step(int most) {
        UncertainCall open = doubt;
        if (open != null) {
            repeat(open);
            return;
        }
        if (random.nextInt(8) == 0) {
            wanted = random.nextInt(most + 1);
        }
        if (held.size() < wanted) {
            add(fresh());
        } else if (!held.isEmpty()) {
            List<Sandbox> all = held();
            delete(all.get(random.nextInt(all.size())));
        }
    }

    private void repeat(UncertainCall open) {
        if (open.add()) {
            add(open.sandbox());
        } else {
            delete(open.sandbox());
        }
    }

    /** A new sandbox of a pod whose name was used before, as a StatefulSet's are. */
    private Sandbox fresh() {
        String pod = "";
        for (int i = 0; pod.isEmpty() || held.containsKey(pod); i++) {
            pod = "kill/" + name + "-" + i;
        }
        return new Sandbox(pod, name + "-sandbox" + ++sandboxes, "");
    }

    private void add(Sandbox sandbox) {
        doubt = new UncertainCall(true, sandbox);
        story.tell(name, "ADD " + sandbox.container());
        Optional<Lease> lease = call(
                sandbox,
                "ADD",
                shell -> shell.control(
                                CALL,
                                stub -> stub.cniAdd(CniAddRequest.newBuilder()
                                        .setPod(sandbox.pod())
                                        .setContainer(sandbox.container())
                                        .setTimeout(Durations.fromSeconds(WAIT_FOR_ADDRESS.toSeconds()))
                                        .build()))
                        .getLease());
        lease.map(SimulatedKubelet::address).ifPresent(address -> {
            doubt = null;
            acknowledged++;
            story.tell(name, "ADD " + sandbox.container() + " has " + address);
            if (!sandbox.address().isEmpty() && !sandbox.address().equals(address)) {
                throw new InvariantViolation(
                        "the lease of " + sandbox.container() + " survived with " + sandbox.address()
                                + ", and its ADD made again was told " + address,
                        sandbox.address(),
                        address,
                        sandbox.container());
            }
            lent.taken(address, sandbox.container());
            held.put(sandbox.pod(), new Sandbox(sandbox.pod(), sandbox.container(), address));
        });
    }

    private void delete(Sandbox sandbox) {
        if (held.remove(sandbox.pod(), sandbox)) {
            // from here on the address may be anybody's
            lent.givenBack(sandbox.address(), sandbox.container());
        }
        doubt = new UncertainCall(false, sandbox);
        story.tell(name, "DEL " + sandbox.container() + " with " + sandbox.address());
        call(
                        sandbox,
                        "DEL",
                        shell -> shell.control(
                                CALL,
                                stub -> stub.cniDel(CniDelRequest.newBuilder()
                                        .setPod(sandbox.pod())
                                        .setContainer(sandbox.container())
                                        .build())))
                .ifPresent(done -> {
                    doubt = null;
                    acknowledged++;
                    story.tell(name, "DEL " + sandbox.container() + " acknowledged, " + sandbox.address() + " is free");
                });
    }

    /** @return the answer, or empty if there was nobody to give one, which is right while the daemon is away alone */
    private <T> Optional<T> call(Sandbox sandbox, String verb, Function<DaemonConnection, T> call) {
        try {
            T answer = call.apply(connection());
            onAnswer.run();
            return Optional.of(answer);
        } catch (ShellException e) {
            boolean nobody = e.exit() == Exit.NOT_ATTACHED || e.exit() == Exit.INTERRUPTED;
            boolean recovering = e.code().equals("TRY_AGAIN");
            if (!daemon.away() || !(nobody || recovering)) {
                throw new InvariantViolation(
                        verb + " of " + sandbox.container() + " was refused by a daemon that should serve: "
                                + e.sentence(),
                        sandbox.container());
            }
            if (!cutOff.equals(doubt())) {
                cutOff = doubt();
                doubts++;
            }
            story.tell(name, verb + " " + sandbox.container() + " not answered, " + e.getMessage());
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            return Optional.empty();
        }
    }

    private DaemonConnection connection() {
        DaemonConnection open = connection;
        if (open == null) {
            open = DaemonConnection.open(daemon.socket());
            connection = open;
        }
        return open;
    }

    static String address(Lease lease) {
        return lease.getResource().getAddresses(0).replaceFirst("/.*", "");
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
    }
}
