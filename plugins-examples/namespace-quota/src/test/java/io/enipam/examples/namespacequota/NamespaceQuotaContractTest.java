package io.enipam.examples.namespacequota;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;
import io.enipam.sdk.testkit.TestContext;

/** The rules of every policy, with quotas that are met and quotas that are not. */
class NamespaceQuotaContractTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        NamespaceQuotaPlugin plugin = new NamespaceQuotaPlugin();
        TestContext context = TestContext.builder()
                .settings(plugin.settings())
                .value("default_limit", "8")
                .value("limits", "shop=3", "elsewhere=0")
                .build();
        return plugin.poolPolicies().get(0).open(context);
    }
}
