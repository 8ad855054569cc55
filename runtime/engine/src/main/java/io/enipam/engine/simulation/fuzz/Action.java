package io.enipam.engine.simulation.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What a step does: its word in a script, and the values it has beside {@link Value#THEN}, which every step has. */
public enum Action {
    /** The container runtime asks for an address; with {@code twice} it asks again at once. */
    ADD("add", Value.CONTAINER, Value.POD, Value.CREATED, Value.STICKY, Value.UID, Value.TWICE),
    DEL("del", Value.CONTAINER),
    /** A pod goes from the API server, without a DEL. */
    VANISH("vanish", Value.POD),
    COLLECT("collect", Value.DRY),
    /** The process dies after some more of its tasks, and starts again. */
    CRASH("crash", Value.TASKS, Value.LOST),
    DISK("disk", Value.STATE),
    CLOUD("cloud", Value.FACTORY, Value.STATE),
    API("api", Value.STATE),
    SETUP("setup", Value.STATE),
    TEARDOWN("teardown", Value.STATE),
    /** Listing what the kernel connects. */
    KERNEL("kernel", Value.STATE),
    /** Whether the kernel names the pods of what it connects. */
    NAMES("names", Value.STATE),
    /** The watch on pods hears of all that is so now. */
    WATCH("watch"),
    SWITCH("switch", Value.FACTORY),
    POLICY("policy", Value.POLICY, Value.SEED, Value.LATE),
    CONFIGURE("configure", Value.MIN, Value.ABOVE, Value.CAPACITY),
    RECONCILE("reconcile"),
    /** Another actor takes an address away, or all of a factory. */
    TAKE("take", Value.ROLE, Value.ADDRESS, Value.ALL),
    RETURN("return", Value.ADDRESS),
    /** Another actor makes an address. */
    APPEAR("appear", Value.ROLE),
    /** Another actor moves an address to another ENI. */
    MOVE("move", Value.ROLE, Value.ADDRESS),
    /** How a cloud lists from now on; empty is for once. */
    LISTS("lists", Value.FACTORY, Value.LISTING, Value.DELAY),
    /** The date is set, eight hours ahead or back. */
    CLOCK("clock", Value.DIRECTION),
    WAIT("wait", Value.SPAN);

    private final String word;
    private final List<Value> parameters;

    Action(String word, Value... own) {
        this.word = word;
        List<Value> all = new ArrayList<>(Arrays.asList(own));
        all.add(Value.THEN);
        this.parameters = List.copyOf(all);
    }

    /** In a script. */
    public String word() {
        return word;
    }

    /** In the order in which they are written. */
    List<Value> parameters() {
        return parameters;
    }

    static Optional<Action> of(String word) {
        return Arrays.stream(values())
                .filter(action -> action.word.equals(word))
                .findFirst();
    }
}
