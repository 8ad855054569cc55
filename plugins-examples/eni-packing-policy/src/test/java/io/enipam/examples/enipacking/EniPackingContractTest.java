package io.enipam.examples.enipacking;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;
import io.enipam.sdk.testkit.TestContext;

/** The rules of every policy. */
class EniPackingContractTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        EniPackingPlugin plugin = new EniPackingPlugin();
        TestContext context = TestContext.builder().settings(plugin.settings()).build();
        return plugin.poolPolicies().get(0).open(context);
    }
}
