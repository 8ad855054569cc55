/** Capacity overrides: changes of the pool's watermarks by an operator, kept across restarts. */
@NullMarked
package io.enipam.node.overrides;

import org.jspecify.annotations.NullMarked;
