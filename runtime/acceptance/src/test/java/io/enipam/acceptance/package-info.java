/** The programs driven as their users drive them: as processes, one-shot and on a pseudo-terminal. */
@NullMarked
package io.enipam.acceptance;

import org.jspecify.annotations.NullMarked;
