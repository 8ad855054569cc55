/** The commands on ENIs: {@code eni}, and how they are shown. */
@NullMarked
package io.enipam.shell.eni;

import org.jspecify.annotations.NullMarked;
