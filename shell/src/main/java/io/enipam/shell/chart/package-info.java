/** Charts of the daemon's history and of replays, for terminals and for pages of HTML, and the characters and elements they are made of. */
@NullMarked
package io.enipam.shell.chart;

import org.jspecify.annotations.NullMarked;
