/**
 * Faults: rules that act on calls, windows that throttle them, ENIs that stick. It imports the api and cloud packages. The
 * HTTP gateway and the metadata service consult it at each call; tests, the control API and a daemon that embeds the emulator
 * add rules. Everything random follows from the emulator's seed.
 */
@NullMarked
package io.enipam.emulator.fault;

import org.jspecify.annotations.NullMarked;
