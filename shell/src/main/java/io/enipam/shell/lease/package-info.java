/** Who had which address: {@code who} and {@code lease}. */
@NullMarked
package io.enipam.shell.lease;

import org.jspecify.annotations.NullMarked;
