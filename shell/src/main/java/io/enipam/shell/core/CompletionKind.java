package io.enipam.shell.core;

/** What a value on the command line names. */
public enum CompletionKind {
    PODS,
    /** Containers that have an address, of the pool or of an allocator of a plugin. */
    CONTAINERS,
    ADDRESSES,
    ENIS,
    ENI_IPS,
    /** What the daemon remembers something of: pods, containers, addresses, ENIs, keys of controllers, also gone ones. */
    TRACED,
    /** What can be explained: pods, addresses, ENIs, containers, what plugins explain. What stands before is the beginning of the word. */
    ANYTHING,
    /** APIs the daemon calls, by the cloud's names. */
    ECS_APIS,
    /** Actions of the emulated cloud, and what else a fault may name. */
    CLOUD_APIS,
    CLOUD_CODES,
    /** Numbers of the faults of the emulated cloud. */
    CLOUD_FAULTS,
    CLOUD_LATENCIES,
    CLOUD_LIMITS,
    /** Keys of the resource database, BUCKET/KEY. */
    DB_KEYS,
    DB_BUCKETS,
    PLUGINS,
    POLICIES,
    FACTORIES,
    /** Extensions of plugins. */
    ALLOCATORS,
    /** What claims of plugins are on. */
    BALLOTS,
    /** What the plugin that is named before has still to do outside. */
    EFFECTS,
    /** Diagnostics of the plugin that is named before. */
    DIAGNOSTICS,
    /** {@code NAME=VALUE} of the diagnostic that is named before, after its plugin. */
    DIAGNOSTIC_PARAMETERS,
    /** Values of a parameter of a plugin's command: the command's words, the parameter and the word so far are given before. */
    COMMAND_VALUES,
    DOCTOR_CHECKS,
    /** Ids of those that can be repaired. */
    DOCTOR_REPAIRS,
    /** Columns of the command's listing, several with commas between them. */
    COLUMNS,
    /** Types of events, several with commas between them. */
    EVENT_TYPES,
    FILES,
    /** Runbooks of the library, and files. */
    RUNBOOKS,
    /** {@code NAME=} of the runbook that is named before. */
    RUNBOOK_PARAMETERS,
    COMMANDS
}
