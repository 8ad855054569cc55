/**
 * The terminal's second screen, on which the dashboard and the pager draw, and how the first one comes back. Needs JLine
 * alone; used by whoever draws on all of a terminal.
 */
@NullMarked
package io.enipam.shell.screen;

import org.jspecify.annotations.NullMarked;
