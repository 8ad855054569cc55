/** What somebody told the pool over what its policy wants, kept over a restart. */
@NullMarked
package io.enipam.daemon.overrides;

import org.jspecify.annotations.NullMarked;
