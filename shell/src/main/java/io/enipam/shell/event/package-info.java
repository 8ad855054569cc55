/** The command {@code events}, its filters, and how events are shown. */
@NullMarked
package io.enipam.shell.event;

import org.jspecify.annotations.NullMarked;
