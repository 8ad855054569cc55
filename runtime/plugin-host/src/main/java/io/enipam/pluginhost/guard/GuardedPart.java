package io.enipam.pluginhost.guard;

import io.enipam.pluginhost.guard.PluginCallCounts.BreakerState;
import java.util.Optional;

/** One part of a plugin, as its health sees it: a policy, a factory, or all the rest. Thread-safe, and takes no lock. */
interface GuardedPart {
    /** What is wrong now, one line; nothing if all is well. */
    Optional<String> trouble();

    /** How many calls are beyond their deadline and have not returned. */
    int overdue();

    BreakerState breaker();

    /** Whether it is used no more and has given everything back: then nobody needs to know of it. */
    boolean isRetired();
}
