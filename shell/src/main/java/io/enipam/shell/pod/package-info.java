/** The commands on pods: {@code pod}, and how they are shown. */
@NullMarked
package io.enipam.shell.pod;

import org.jspecify.annotations.NullMarked;
