/**
 * The durable tables of plugins in etcd, 3.4 or later: {@link io.enipam.etcd.EtcdJournals} connects, and gives each plugin its
 * journal. It imports the engine's values and jetcd's stubs. Only who keeps tables in etcd has this package on the class path.
 */
@NullMarked
package io.enipam.etcd;

import org.jspecify.annotations.NullMarked;
