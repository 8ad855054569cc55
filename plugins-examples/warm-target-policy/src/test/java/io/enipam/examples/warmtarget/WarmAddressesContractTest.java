package io.enipam.examples.warmtarget;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;
import io.enipam.sdk.testkit.TestContext;

/** The rules of every policy, with addresses counted. */
class WarmAddressesContractTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        WarmTargetPlugin plugin = new WarmTargetPlugin();
        TestContext context = TestContext.builder()
                .settings(plugin.settings())
                .value("warm_ip_target", "5")
                .value("minimum_ip_target", "10")
                .build();
        return plugin.poolPolicies().get(0).open(context);
    }
}
