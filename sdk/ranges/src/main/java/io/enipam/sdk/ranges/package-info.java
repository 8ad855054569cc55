/**
 * Ranges of addresses, the next free one of them, and the files of CNI's host-local plugin. It says what a range is and how
 * an address is taken so that it stays taken; who gets one is decided by its users. Uses {@code io.enipam.sdk} and the JDK.
 */
@NullMarked
package io.enipam.sdk.ranges;

import org.jspecify.annotations.NullMarked;
