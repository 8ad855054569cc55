/** What the shell and the daemon both know of the shell's words. It imports the JDK alone; both programs may call it. */
@NullMarked
package io.enipam.grammar;

import org.jspecify.annotations.NullMarked;
