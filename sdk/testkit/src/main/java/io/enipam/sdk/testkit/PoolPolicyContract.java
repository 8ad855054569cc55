package io.enipam.sdk.testkit;

import io.enipam.sdk.PoolPolicy;
import java.time.Duration;

/**
 * The rules of {@link PoolPolicy} as tests. The author of a policy extends it:
 *
 * <pre>{@code
 * class WarmTargetPolicyTest extends PoolPolicyContract {
 *     protected PoolPolicy policy() {
 *         return new WarmTargetProvider().open(
 *                 TestContext.builder().settings(WarmTarget.SETTINGS).value("warm_ip_target", "5").build());
 *     }
 * }
 * }</pre>
 */
public abstract class PoolPolicyContract {
    /** Opens the policy under test: a new object at each call, all opened alike. */
    protected abstract PoolPolicy policy();

    /** How many snapshots a rule is tried on. */
    protected int snapshots() {
        return 2_000;
    }

    /** How long an answer about a pool of 1,000 resources may take. */
    protected Duration answerTime() {
        return Duration.ofMillis(10);
    }
}
