package ${package};

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;
import io.enipam.sdk.testkit.TestContext;

/** The rules every policy keeps; the tests are inherited. */
class ${className}PolicyContractTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        ${className}Plugin plugin = new ${className}Plugin();
        TestContext context = TestContext.builder()
                .settings(plugin.settings())
                .value("headroom", "25")
                .build();
        return plugin.poolPolicies().get(0).open(context);
    }
}
