/**
 * What stands between the daemon and a plugin's code: a deadline, a bulkhead and a breaker for every call, and a count of what
 * went wrong. A policy is called on the engine's own thread, so that a call costs next to nothing; a watchdog answers for it
 * when it is late. A factory is called on threads of the plugin's. The plugin host calls it; it calls plugins.
 */
@NullMarked
package io.enipam.daemon.plugin.guard;

import org.jspecify.annotations.NullMarked;
