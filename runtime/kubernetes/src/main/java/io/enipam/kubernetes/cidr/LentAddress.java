package io.enipam.kubernetes.cidr;

import io.enipam.sdk.ResourceId;

/**
 * An address that the database says is lent.
 *
 * @param resource its resource
 * @param owner to whom
 */
public record LentAddress(ResourceId resource, AddressOwner owner) {}
