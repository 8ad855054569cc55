/**
 * The way from a container runtime to the daemon: the frames that the CNI front and the daemon exchange over a unix socket. It
 * stands on the JDK alone, since the front that is used where there is no C compiler is made of it, and starts for every pod.
 */
@NullMarked
package io.enipam.cni;

import org.jspecify.annotations.NullMarked;
