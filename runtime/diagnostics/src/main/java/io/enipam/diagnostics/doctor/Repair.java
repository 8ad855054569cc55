package io.enipam.diagnostics.doctor;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** The operations that may mend what a check finds. Each is one that the daemon does by itself as well, and may be repeated. */
public enum Repair {
    GC("gc run", "Collects garbage now: ends the leases of pods that are gone, each asked for once more before."),
    SYNC(
            "pool sync",
            "Compares the pool with the cloud now: takes up or gives back unknown addresses, and lends no more what is"
                    + " lost. It takes nothing from a pod."),
    SWEEP(
            "eni sweep",
            "Deletes the ENIs with this node's tags that are Available, unknown here and older than ten minutes."),
    COMPACT("db compact", "Writes a checkpoint of the database and removes the journal files it makes unnecessary."),
    POLICY("pool policy NAME", "Opens the selected policy anew and puts it in force."),
    MODES("chmod", "Takes the rights of others off the database's directory, and sets the socket's mode to 0660."),
    KERNEL(
            "ip rule, ip route",
            "Sets rules, routes, neighbours and sysctls of connected pods again, and removes what is left of sandboxes"
                    + " without a lease. No pod notices."),
    PLUGIN(
            "the plugin's commands that the findings name",
            "Runs the commands of the plugin that its findings name, one after the other.");

    private final String command;
    private final String words;

    Repair(String command, String words) {
        this.command = command;
        this.words = words;
    }

    /** The command that does the same. */
    public String command() {
        return command;
    }

    /** What it does, exactly. */
    public String words() {
        return words;
    }

    /** Repairs, or says what it would do. Thread-safe. */
    @FunctionalInterface
    public interface Operation {
        /** Completes with what was done or would be, one line each; fails with IpamException. */
        CompletionStage<List<String>> run(boolean dryRun);
    }
}
