package io.enipam.grammar;

import java.util.Set;

/** The first words that no command of a plugin may have: those of the shell's own commands, filters and topics of help. */
public final class ReservedWords {
    public static final Set<String> ALL = Set.of(
            "at",
            "audit",
            "clear",
            "cloud",
            "cni",
            "config",
            "db",
            "diff",
            "doctor",
            "ecs",
            "eni",
            "events",
            "exit",
            "exit-codes",
            "explain",
            "formats",
            "gc",
            "grep",
            "head",
            "help",
            "history",
            "jq",
            "lab",
            "lease",
            "log",
            "permissions",
            "pipes",
            "plugin",
            "pod",
            "pool",
            "run",
            "runbook",
            "runbooks",
            "sort",
            "status",
            "support-bundle",
            "tail",
            "top",
            "trace",
            "use",
            "version",
            "watch",
            "wc",
            "who");

    private ReservedWords() {}
}
