/**
 * The configuration while the daemon runs: what the cluster says of it is asked now and then, laid over the files, and what can be
 * had without a restart is put in force. Who goes by the configuration follows it here, and sees each change as a whole.
 */
@NullMarked
package io.enipam.config.dynamic;

import org.jspecify.annotations.NullMarked;
