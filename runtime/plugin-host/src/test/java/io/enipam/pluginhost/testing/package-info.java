/**
 * Plugins for the daemon's tests: real jars, compiled when the test runs. Tests of any package of the daemon may use them.
 */
@NullMarked
package io.enipam.pluginhost.testing;

import org.jspecify.annotations.NullMarked;
