/** An etcd of one's own, as a process of Debian's {@code etcd-server}: for tests and benchmarks. */
@NullMarked
package io.enipam.etcd.testing;

import org.jspecify.annotations.NullMarked;
