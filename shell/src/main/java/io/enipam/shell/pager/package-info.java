/**
 * Output that is longer than the screen, page by page: what a command writes is passed on until it fills the screen, and
 * is shown by a pager from then on while the command still writes.
 *
 * <p>The package imports JLine and the JDK. The interactive shell puts it between the commands and the terminal; one-shot
 * commands and scripts never see it.
 */
@NullMarked
package io.enipam.shell.pager;

import org.jspecify.annotations.NullMarked;
