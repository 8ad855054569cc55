/** The commands on the resource database: {@code db}, and how their replies are shown. */
@NullMarked
package io.enipam.shell.db;

import org.jspecify.annotations.NullMarked;
