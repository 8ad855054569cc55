package io.enipam.sdk;

/** What became of one resource given back: {@link Disposed} or {@link Failed}. */
public sealed interface DisposeResult permits Disposed, Failed {}
