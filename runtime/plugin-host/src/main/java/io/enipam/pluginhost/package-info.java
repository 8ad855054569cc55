/**
 * The plugin host: which policies and factories there are, which of them are in force, and how they are changed while
 * the daemon runs. {@code plugin.load} brings plugins in, {@code plugin.guard} stands between them and the daemon; this
 * package chooses, opens, swaps and describes them. The daemon's wiring and its services call it.
 */
@NullMarked
package io.enipam.pluginhost;

import org.jspecify.annotations.NullMarked;
