/**
 * The emulated cloud itself: VPC, vSwitches, instances and ENIs as immutable values, the one place where a new state replaces
 * the old, and the file that keeps it. It knows nothing of HTTP, parameters or error codes and imports no other package of the
 * emulator; all of them call it.
 */
@NullMarked
package io.enipam.emulator.cloud;

import org.jspecify.annotations.NullMarked;
