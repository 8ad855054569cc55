/**
 * A cloud in a process: the ECS and VPC RPC protocol and the metadata service over HTTP, for sandboxes and tests. It knows
 * nothing of enipam; any client of the real cloud may call it.
 */
@NullMarked
package io.enipam.emulator;

import org.jspecify.annotations.NullMarked;
