/**
 * Docker's remote IPAM driver: pools, addresses and their durable state ({@link io.enipam.examples.swarm.docker.IpamDriver}), the
 * protocol on the plugin's socket ({@link io.enipam.examples.swarm.docker.DockerIpam}), and what operators see of them. Used by the
 * plugin's entry point alone; needs nothing of swarm's allocator.
 */
@NullMarked
package io.enipam.examples.swarm.docker;

import org.jspecify.annotations.NullMarked;
