/** The command {@code doctor}, and how findings are shown. */
@NullMarked
package io.enipam.shell.doctor;

import org.jspecify.annotations.NullMarked;
