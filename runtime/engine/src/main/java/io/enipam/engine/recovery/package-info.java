/**
 * Start-up: from database and cloud back to a pool that may serve. The engine's door calls it once; it calls the pool, the
 * provisioner and the factory.
 */
@NullMarked
package io.enipam.engine.recovery;

import org.jspecify.annotations.NullMarked;
