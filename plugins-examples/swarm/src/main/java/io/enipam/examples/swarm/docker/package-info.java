/**
 * Docker's remote IPAM driver: pools, addresses and their durable state ({@link io.enipam.examples.swarm.docker.IpamDriver}), the
 * protocol on the plugin's socket ({@link io.enipam.examples.swarm.docker.DockerIpam}), and what operators see of them. Used by the
 * plugin's entry point alone; has the search of default pools in common with swarm's allocator, and nothing else.
 */
@NullMarked
package io.enipam.examples.swarm.docker;

import org.jspecify.annotations.NullMarked;
