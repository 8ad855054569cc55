package io.enipam.daemon.history;

import io.enipam.aliyun.calls.Timing;

/** How long calls of one kind took since the start: those that worked, and those that failed. */
public record CallTiming(Timing worked, Timing failed) {}
