/** The command {@code help}, its guide and its topics. */
@NullMarked
package io.enipam.shell.help;

import org.jspecify.annotations.NullMarked;
