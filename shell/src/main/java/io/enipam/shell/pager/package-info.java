/**
 * Output that is longer than the screen, page by page, while the command still writes. The package imports JLine and
 * {@code core}; only the interactive shell uses it.
 */
@NullMarked
package io.enipam.shell.pager;

import org.jspecify.annotations.NullMarked;
