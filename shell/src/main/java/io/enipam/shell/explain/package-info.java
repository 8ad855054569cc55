/** The commands {@code explain} and {@code trace}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.explain;

import org.jspecify.annotations.NullMarked;
