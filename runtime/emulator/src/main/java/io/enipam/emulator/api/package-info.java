/**
 * The RPC protocol and the actions of ECS and VPC: requests, signatures and credentials, parameters, error codes, and a table of
 * actions, each a pure function from a call to a result and the next state. The package imports the cloud package; the fault rules
 * and the HTTP gateway call it.
 */
@NullMarked
package io.enipam.emulator.api;

import org.jspecify.annotations.NullMarked;
