/**
 * The sources of facts about this node: the database, the pool, the registry of ENIs, the cloud, the kernel, the API server. Each is
 * asked on a thread of its own within a deadline of its own, so that one that hangs delays no other, and what came of it is part
 * of a {@link io.enipam.diagnostics.sources.Snapshot}. Nothing here changes anything or holds the engine up. Another source joins by
 * extending {@link io.enipam.diagnostics.sources.Source}; the package {@code compare} finds where they differ.
 */
@NullMarked
package io.enipam.diagnostics.sources;

import org.jspecify.annotations.NullMarked;
