package io.enipam.aliyun.calls;

import java.time.Duration;

/**
 * What follows from a call that the cloud has throttled.
 *
 * @param inhibition how long nobody may call the API; zero if the throttled minute is over
 * @param news whether it is the first one of its minute
 * @param allowed calls a minute allowed from now on
 */
public record ThrottlingOutcome(Duration inhibition, boolean news, int allowed) {}
