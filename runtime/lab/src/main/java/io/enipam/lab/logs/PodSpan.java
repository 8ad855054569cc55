package io.enipam.lab.logs;

import java.util.OptionalLong;

/**
 * A pod's sandbox, as it was seen. Times are milliseconds of one clock.
 *
 * @param node empty where the source is of one node
 * @param pod NAMESPACE/NAME
 * @param at when its ADD came
 * @param answered when it had its address
 * @param end empty if it is still there at the end
 */
record PodSpan(String node, String pod, long at, long answered, OptionalLong end) {}
