/**
 * What this node asks of the cloud and what it may ask: the limit of each API, which learns from throttling, its
 * metrics, and the ring of recent calls. The client asks here before each call and reports here how it ended; the
 * daemon shows it. It imports the names of the APIs and the Prometheus client's histogram, and calls no other module.
 */
@NullMarked
package io.enipam.aliyun.calls;

import org.jspecify.annotations.NullMarked;
