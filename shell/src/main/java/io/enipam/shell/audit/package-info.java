/** Who changed what: {@code audit}. */
@NullMarked
package io.enipam.shell.audit;

import org.jspecify.annotations.NullMarked;
