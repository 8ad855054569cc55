package io.enipam.shell.core;

/** What a piece of text means, for a terminal that can show it. */
public enum Tone {
    PLAIN(""),
    HEAD("1"),
    LABEL("2"),
    GOOD("32"),
    WAIT("33"),
    BAD("31");

    private final String sgr;

    Tone(String sgr) {
        this.sgr = sgr;
    }

    /** The parameters of the SGR escape sequence (ECMA-48); empty for none. */
    public String sgr() {
        return sgr;
    }

    /** The tone of a state's name, wherever it appears: of a resource, an ENI, a daemon, an event, a plugin. */
    public static Tone ofState(String state) {
        return switch (state) {
            case "READY", "IDLE", "InUse", "IN_USE", "ACTIVE", "RUNNING", "REGAINED", "ADOPTED", "HAS_ADDRESS" -> GOOD;
            case "ALLOCATED", "LISTENING" -> GOOD;
            case "COOLING", "RESERVED", "DISPOSING", "CREATING", "NEW", "RECOVERING", "STOPPING", "OPENING" -> WAIT;
            case "Creating", "Attaching", "Detaching", "Deleting", "SYNCING" -> WAIT;
            case "DEGRADED", "LEAVING", "HALF_OPEN", "RETURNED", "WAITING", "BUSY", "WARN", "WARNING" -> WAIT;
            case "INVALID", "Stuck", "Lost", "STOPPED", "ERROR", "FAILED", "LOST", "CLASH", "LOST_ADDRESS", "REFUSED" ->
                BAD;
            default -> PLAIN;
        };
    }
}
