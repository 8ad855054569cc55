package io.enipam.examples.warmtarget;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;
import io.enipam.sdk.testkit.TestContext;

/** The rules of every policy, with whole ENIs counted. */
class WarmEnisContractTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        WarmTargetPlugin plugin = new WarmTargetPlugin();
        TestContext context = TestContext.builder()
                .settings(plugin.settings())
                .value("warm_eni_target", "1")
                .build();
        return plugin.poolPolicies().get(0).open(context);
    }
}
