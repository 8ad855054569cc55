/**
 * What stands between the daemon and an untrusted plugin: deadlines, bulkheads, breakers, counters and the threads
 * plugin code may lose. A plugin's policies and factories come out of its
 * {@link io.enipam.pluginhost.guard.PluginGuard} as the engine's ports; the engine never calls them directly. Of the
 * daemon's other packages this one imports only the platform; the plugin host is its only caller.
 */
@NullMarked
package io.enipam.pluginhost.guard;

import org.jspecify.annotations.NullMarked;
