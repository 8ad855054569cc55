/**
 * The command {@code help}, its guide and its topics. It reads the grammar by {@link io.enipam.shell.core.Grammar} and
 * the filters of {@code pipe}.
 */
@NullMarked
package io.enipam.shell.help;

import org.jspecify.annotations.NullMarked;
