/**
 * The engine's ports in virtual time: a clock that passes when its owner says so, and in memory a database, a journal of cloud operations, a
 * factory, an API server, a kernel, and sinks that keep what they get. They fail when their owner says so. The lab's replays and its search
 * for faults stand on it, and so do the tests of all modules; the daemon runs none of it. It imports ports and the model.
 */
@NullMarked
package io.enipam.engine.simulation;

import org.jspecify.annotations.NullMarked;
