/**
 * The records' text form: versioned JSON, readable in a dump, independent of the shape of the engine's classes. It imports
 * the engine's model and Jackson; the database alone calls it.
 */
@NullMarked
package io.enipam.store.record;

import org.jspecify.annotations.NullMarked;
