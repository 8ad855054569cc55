package io.enipam.sdk;

/**
 * One resource that is gone for certain, or was gone already.
 *
 * @param id the resource given back
 */
public record Disposed(ResourceId id) implements DisposeResult {}
