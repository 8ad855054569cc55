/** The commands on the daemon as a whole: {@code status}, {@code version}, {@code config}, {@code log} and {@code top}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.status;

import org.jspecify.annotations.NullMarked;
