package io.enipam.observability.history;

import io.enipam.aliyun.calls.LatencySnapshot;

/** How long calls of one kind took since the start: those that worked, and those that failed. */
public record CallTiming(LatencySnapshot worked, LatencySnapshot failed) {}
