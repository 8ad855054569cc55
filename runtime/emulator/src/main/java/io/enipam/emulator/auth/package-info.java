/**
 * Access keys, signatures, timestamps and nonces, as the RPC gateway checks them. It imports the api package alone. The HTTP
 * gateway and the metadata service, which gives out role credentials, call it.
 */
@NullMarked
package io.enipam.emulator.auth;

import org.jspecify.annotations.NullMarked;
