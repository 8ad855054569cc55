/**
 * The comparison of the pool with what the factories list: what the cloud took, gave back, moved or has besides. Built and run by
 * the root package; the start-up procedure tells its losses in the same words. It imports the pool, the ports and the model.
 */
@NullMarked
package io.enipam.engine.reconcile;

import org.jspecify.annotations.NullMarked;
