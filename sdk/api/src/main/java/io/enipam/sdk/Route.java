package io.enipam.sdk;

import java.net.InetAddress;
import java.util.Optional;

/**
 * A route of an owner.
 *
 * @param destination a subnet
 * @param gateway the next hop; empty for that of the owner's address
 */
public record Route(Address destination, Optional<InetAddress> gateway) {}
