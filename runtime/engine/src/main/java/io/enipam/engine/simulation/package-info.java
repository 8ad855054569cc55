/**
 * The engine's ports in virtual time: a clock that passes when its owner says so, and a database and a journal of cloud operations in
 * memory. The lab's replays stand on it, and so do the tests of all modules, whose other fakes are in {@code io.enipam.engine.testing};
 * the daemon runs none of it. It imports ports and the model.
 */
@NullMarked
package io.enipam.engine.simulation;

import org.jspecify.annotations.NullMarked;
