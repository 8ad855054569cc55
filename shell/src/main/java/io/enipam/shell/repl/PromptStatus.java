package io.enipam.shell.repl;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Tone;
import io.enipam.v1.GetStatusReply;

/**
 * What the prompt says of the daemon.
 *
 * @param name the node, or "sandbox"
 * @param state READY, DEGRADED, STARTING and so on; "away" if nobody listens, "silent" if nobody answers
 * @param idle addresses
 * @param inUse addresses
 * @param pid the process
 * @param age for how long it had run, in milliseconds
 */
record PromptStatus(String name, String state, int idle, int inUse, long pid, long age) {

    static final String AWAY = "away";
    static final String SILENT = "silent";

    static PromptStatus of(GetStatusReply status) {
        return new PromptStatus(
                Palette.clean(status.getSandbox() ? "sandbox" : status.getNode()),
                phase(Palette.clean(status.getPhase())),
                status.getPool().getCounts().getIdle(),
                status.getPool().getCounts().getInUse(),
                status.getPid(),
                Durations.toMillis(status.getUptime()));
    }

    /** The two steps before READY are one to those who wait. */
    private static String phase(String phase) {
        return phase.equals("NEW") || phase.equals("RECOVERING") ? "STARTING" : phase;
    }

    /** The same daemon, not to be had. */
    PromptStatus without(String why) {
        return new PromptStatus(name, why, idle, inUse, pid, age);
    }

    /** Whether the other one is a daemon that was started since: in a container it may have the same process id. */
    boolean other(PromptStatus now) {
        return pid != now.pid || now.age < age;
    }

    /** Whether it answers. */
    boolean here() {
        return !state.equals(AWAY) && !state.equals(SILENT);
    }

    /** {@code enipam(sandbox READY 2/3)> }: idle and in use; no figures of a daemon that does not answer. */
    String prompt(Palette palette) {
        Tone tone = here() ? Tone.ofState(state) : Tone.BAD;
        String figures = here() ? " " + idle + "/" + inUse : "";
        return "enipam(" + name + " " + palette.paint(state.equals("STARTING") ? Tone.WAIT : tone, state) + figures
                + ")> ";
    }
}
