/**
 * The way to daemons on other nodes: through the API server into the daemon's pod, where a relay passes bytes on to its
 * socket; the API server's rule for {@code pods/exec} is the permission. {@link io.enipam.shell.fleet.Cluster} is the
 * entry. The package alone imports fabric8, which is not loaded before a cluster is opened.
 */
@NullMarked
package io.enipam.shell.fleet;

import org.jspecify.annotations.NullMarked;
