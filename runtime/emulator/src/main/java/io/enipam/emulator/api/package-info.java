/**
 * The vocabulary of the RPC protocol: parameters, error codes, and what an action is. It imports the cloud and no HTTP.
 * Signature checking, the actions and the HTTP front call it.
 */
@NullMarked
package io.enipam.emulator.api;

import org.jspecify.annotations.NullMarked;
