package io.enipam.engine.policy;

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.testkit.PoolPolicyContract;

class WatermarkPolicyTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        return new WatermarkPolicy();
    }
}
