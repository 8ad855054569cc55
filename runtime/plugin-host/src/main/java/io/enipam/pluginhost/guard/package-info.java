/**
 * What stands between the daemon and an untrusted plugin: deadlines, bulkheads, breakers, counters and the threads plugin
 * code may lose. A plugin's policies and factories come out of its {@link io.enipam.pluginhost.guard.PluginGuard} as the
 * engine's ports; the engine never meets them bare. Of the daemon's other rooms this one knows the platform alone; the
 * plugin host is its only caller.
 */
@NullMarked
package io.enipam.pluginhost.guard;

import org.jspecify.annotations.NullMarked;
