/**
 * The cloud's state as a JSON file that survives a crash at any moment. It imports the cloud package and the
 * exception of the root package. The emulator
 * loads from it at start and saves to it after every change.
 */
@NullMarked
package io.enipam.emulator.state;

import org.jspecify.annotations.NullMarked;
