/** Tests of the package; see the main sources for what it is. */
@NullMarked
package io.enipam.shell.text;

import org.jspecify.annotations.NullMarked;
