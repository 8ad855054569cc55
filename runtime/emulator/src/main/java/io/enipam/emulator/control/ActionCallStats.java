package io.enipam.emulator.control;

/**
 * What became of the calls of one action since the start.
 *
 * @param api the action
 * @param calls how many had a good signature
 * @param throttled of those, how many flow control refused
 * @param faulted of those, on how many a fault rule acted
 */
public record ActionCallStats(String api, long calls, long throttled, long faulted) {}
