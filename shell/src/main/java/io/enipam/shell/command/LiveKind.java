package io.enipam.shell.command;

/** What a value on the command line names. */
public enum LiveKind {
    /** Pods of the node, NAMESPACE/NAME. */
    PODS,
    ENIS,
    /** APIs of the cloud, by the cloud's names. */
    CLOUD_APIS,
    /** Keys of the resource database, BUCKET/KEY. */
    DB_KEYS,
    DB_BUCKETS,
    /** Ids of plugins. */
    PLUGINS,
    POLICIES,
    FACTORIES,
    /** Diagnostics of the plugin that is named before. */
    DIAGNOSTICS,
    /** {@code NAME=VALUE} of the diagnostic that is named before, after its plugin. */
    DIAGNOSTIC_PARAMETERS,
    /** Files of this machine. */
    FILES,
    /** Commands of this shell. */
    COMMANDS
}
