package io.enipam.examples.churnadaptive;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;
import io.enipam.sdk.testkit.TestContext;

/** The rules of every policy. */
class ChurnAdaptiveContractTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        ChurnAdaptivePlugin plugin = new ChurnAdaptivePlugin();
        TestContext context = TestContext.builder().settings(plugin.settings()).build();
        return plugin.poolPolicies().get(0).open(context);
    }
}
