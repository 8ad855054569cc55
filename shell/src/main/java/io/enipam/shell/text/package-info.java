/**
 * What people type, read: the words of a line, spans of time, and the name that may have been meant.
 *
 * <p>The package imports {@code attach}, for the usage error, and the JDK. Commands and runbooks call it.
 */
@NullMarked
package io.enipam.shell.text;

import org.jspecify.annotations.NullMarked;
