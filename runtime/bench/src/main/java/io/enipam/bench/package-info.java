/**
 * Benchmarks of the hot paths, each beside a peer in the same run. {@code runtime/bin/enipam-bench} runs them and prints the
 * ratios; nothing that ships imports this package.
 */
@NullMarked
package io.enipam.bench;

import org.jspecify.annotations.NullMarked;
