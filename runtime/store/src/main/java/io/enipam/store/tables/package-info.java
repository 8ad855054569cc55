/**
 * The durable tables of plugins: transactions over the rows of the resource database. It imports the model, the ports and the
 * SDK, and calls a plugin's codecs and functions on the plugin's own threads alone.
 */
@NullMarked
package io.enipam.store.tables;

import org.jspecify.annotations.NullMarked;
