/**
 * What both ends of the wire have to agree on beside the messages: what counts as a secret, for the daemon's log as for the bundle
 * that a shell makes of it, and how a client certificate of a kubeconfig is read. Knows the JDK alone; daemon and shell may call it.
 */
@NullMarked
package io.enipam.security;

import org.jspecify.annotations.NullMarked;
