/**
 * What the author of a policy claims of it on a trace, as JUnit tests of theirs. Programs do not use it: JUnit is on the class path of
 * tests alone.
 */
@NullMarked
package io.enipam.lab.contract;

import org.jspecify.annotations.NullMarked;
