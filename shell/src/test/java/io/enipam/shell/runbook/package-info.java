/** Tests of the package; see the main sources for what it is. */
@NullMarked
package io.enipam.shell.runbook;

import org.jspecify.annotations.NullMarked;
