/**
 * What becomes of a damaged database ({@code enipamd --recover}), and the tools of one that is in use. {@link
 * io.enipam.recovery.DatabaseRebuilder} weighs what is left of a damaged database against the kernel, the API server and the cloud,
 * and plans what the new database holds; the daemon's command carries the plan out. {@link io.enipam.recovery.DatabaseService}
 * verifies the database together with the pool, saves, restores and compacts it, one thing at a time on a thread of its own.
 */
@NullMarked
package io.enipam.recovery;

import org.jspecify.annotations.NullMarked;
