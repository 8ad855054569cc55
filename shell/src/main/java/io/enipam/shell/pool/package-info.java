/** The commands on the pool: {@code pool}, and how its addresses are shown. */
@NullMarked
package io.enipam.shell.pool;

import org.jspecify.annotations.NullMarked;
