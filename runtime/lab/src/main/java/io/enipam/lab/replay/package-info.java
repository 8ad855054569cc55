/**
 * Replays traces: the shipped engine, pool, ENI factory and policies in virtual time, on the emulated cloud in this process, each
 * node one step at a time. With the same traces, configuration and seed it gives the same result. The lab's program calls it.
 */
@NullMarked
package io.enipam.lab.replay;

import org.jspecify.annotations.NullMarked;
