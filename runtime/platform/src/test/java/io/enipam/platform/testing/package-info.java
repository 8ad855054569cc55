/** Fakes that the tests of several modules use: an engine, a database, a kubeconfig. */
@NullMarked
package io.enipam.platform.testing;

import org.jspecify.annotations.NullMarked;
