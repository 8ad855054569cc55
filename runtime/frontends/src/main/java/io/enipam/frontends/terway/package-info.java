/**
 * Terway's contract of January 2020, {@code rpc.TerwayBackend}, on its own socket: for terway's own CNI plugin, which connects pods
 * itself and asks here what they are lent. The wire is translated to the engine's words and back; nothing here decides anything
 * about addresses. Its calls are rows of {@code rpc}'s ServiceTable. Called by the daemon's start.
 */
@NullMarked
package io.enipam.frontends.terway;

import org.jspecify.annotations.NullMarked;
