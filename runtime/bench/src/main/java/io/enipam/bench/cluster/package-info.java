/** What controllers of a whole cluster cost, on the plugin host as a daemon has it and against a server in memory. */
@NullMarked
package io.enipam.bench.cluster;

import org.jspecify.annotations.NullMarked;
