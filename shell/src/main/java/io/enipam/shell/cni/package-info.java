/** The commands that make CNI calls: {@code cni}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.cni;

import org.jspecify.annotations.NullMarked;
