package io.enipam.shell.command;

/** What a value on the command line names. */
public enum LiveKind {
    /** Pods of the node, NAMESPACE/NAME. */
    PODS,
    ENIS,
    /** Keys of the resource database, BUCKET/KEY. */
    DB_KEYS,
    DB_BUCKETS,
    /** Commands of this shell. */
    COMMANDS
}
