/**
 * The factory of ENI addresses: its registry of ENIs, the queue of requests, the batches, the life of an ENI and the
 * reconciliation with the cloud. It imports the api package and the engine's ports, and no client library, so that all
 * of it runs in virtual time on a fake. AliyunCloud builds it; from outside only
 * {@link io.enipam.aliyun.eni.CloudFactory} is called.
 */
@NullMarked
package io.enipam.aliyun.eni;

import org.jspecify.annotations.NullMarked;
