/**
 * {@code enipamd --recover}: what becomes of a damaged database. It weighs what is left of it against the kernel, the API
 * server and the cloud, tells every decision, and says what the new database holds. It opens nothing and writes no file: the
 * program beside {@code Main} does that and calls it. It knows the engine's model and ports and the store's salvage.
 */
@NullMarked
package io.enipam.recovery;

import org.jspecify.annotations.NullMarked;
