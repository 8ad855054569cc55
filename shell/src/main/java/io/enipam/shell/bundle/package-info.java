/**
 * The support bundle: parts that are collected one after another, each within its time and size and without secrets, an
 * archive of them, and a report that reads without a network. The package imports {@code core}, {@code pipe} and the
 * views of {@code doctor} and {@code explain}.
 */
@NullMarked
package io.enipam.shell.bundle;

import org.jspecify.annotations.NullMarked;
