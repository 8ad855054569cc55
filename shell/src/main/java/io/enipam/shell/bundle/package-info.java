/**
 * The support bundle: parts that are collected one after another, each within its time and size, an archive of them, and a
 * report that reads without a network.
 *
 * <p>A part is anything that writes text; what it writes passes {@link io.enipam.shell.bundle.BundleRedactor} before anything else sees
 * it. The package imports {@code render}, {@code top}'s series, the protocol's messages and gson; the command {@code
 * support-bundle} says which parts there are and calls it.
 */
@NullMarked
package io.enipam.shell.bundle;

import org.jspecify.annotations.NullMarked;
