package io.enipam.emulator.fault;

/**
 * What the gateway holds each call against.
 *
 * @param plan the rules
 * @param sticky the ENIs that stick
 * @param windows the flow control
 */
public record FaultInjection(FaultPlan plan, StickyEnis sticky, ThrottleWindows windows) {}
