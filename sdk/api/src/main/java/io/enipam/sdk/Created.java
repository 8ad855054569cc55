package io.enipam.sdk;

/**
 * One request fulfilled.
 *
 * @param resource the new resource, usable at once
 */
public record Created(Resource resource) implements CreateResult {}
