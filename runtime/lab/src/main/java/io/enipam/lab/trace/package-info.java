/**
 * Traces: which pods a node had, when each came and how long it lived; the file format, and generators of made ones. It depends
 * on the SDK and Jackson alone; the replay and the lab's program call it.
 */
@NullMarked
package io.enipam.lab.trace;

import org.jspecify.annotations.NullMarked;
