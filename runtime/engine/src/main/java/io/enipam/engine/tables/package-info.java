/**
 * A transaction on the durable tables of a plugin, whatever store holds them: what it reads and writes, with the bounds of the SDK.
 * The stores give it rows and commit what it has written. It imports the model and the SDK.
 */
@NullMarked
package io.enipam.engine.tables;

import org.jspecify.annotations.NullMarked;
