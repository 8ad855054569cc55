package io.enipam.aliyun.calls;

/**
 * How long one API took, each retry on its own.
 *
 * @param api the cloud's name of it
 * @param worked calls that worked
 * @param failed calls that failed
 * @param waited how long calls waited for this node's own limit before they were made; one that need not wait counts as zero
 */
public record ApiLatencies(String api, LatencySnapshot worked, LatencySnapshot failed, LatencySnapshot waited) {}
