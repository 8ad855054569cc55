/**
 * The pod store: copies of the pods seen, for when the API server does not answer. ADD, garbage collection and start-up tell
 * it what they see; it knows the database's changes and no other room but model and port.
 */
@NullMarked
package io.enipam.engine.pods;

import org.jspecify.annotations.NullMarked;
