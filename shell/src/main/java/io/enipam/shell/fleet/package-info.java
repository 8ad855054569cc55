/**
 * The way to daemons on other nodes: through the API server into the daemon's pod, where a relay passes bytes on to its socket.
 * Who may go it is what the API server says of {@code pods/exec}.
 *
 * <p>{@link io.enipam.shell.fleet.Cluster} is the door. The package alone imports fabric8, and nothing of fabric8 is loaded before
 * somebody opens a cluster. It calls {@code attach} for its errors; the program calls it; it prints nothing.
 */
@NullMarked
package io.enipam.shell.fleet;

import org.jspecify.annotations.NullMarked;
