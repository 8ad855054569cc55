/**
 * The emulated cloud itself: VPC, vSwitches, instances and ENIs as immutable values, and the one place where a new state
 * replaces the old. It knows nothing of HTTP, parameters or error codes and imports no other package of the emulator. The
 * actions and the metadata service call it.
 */
@NullMarked
package io.enipam.emulator.cloud;

import org.jspecify.annotations.NullMarked;
