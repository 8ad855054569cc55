/** The commands on garbage collection: {@code gc}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.gc;

import org.jspecify.annotations.NullMarked;
