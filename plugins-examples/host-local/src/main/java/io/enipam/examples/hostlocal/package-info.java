/**
 * CNI's host-local plugin as an extension: addresses of ranges for one container at a time, in host-local's own files or in the
 * journal. Uses {@code io.enipam.sdk}, {@code io.enipam.sdk.ranges} and Jackson.
 */
@NullMarked
package io.enipam.examples.hostlocal;

import org.jspecify.annotations.NullMarked;
