/** What somebody told the pool over what its policy wants, kept over a restart. */
@NullMarked
package io.enipam.node.overrides;

import org.jspecify.annotations.NullMarked;
