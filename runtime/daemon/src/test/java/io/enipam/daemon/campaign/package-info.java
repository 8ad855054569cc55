/**
 * A campaign of faults against the whole node: the engine, its database on disk and the real client over HTTP, on a cloud that
 * lies, loses answers and throttles, with crashes in between. The kubelet's side is a model that knows what was acknowledged.
 */
@NullMarked
package io.enipam.daemon.campaign;

import org.jspecify.annotations.NullMarked;
