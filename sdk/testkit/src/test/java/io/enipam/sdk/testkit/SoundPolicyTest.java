package io.enipam.sdk.testkit;

import io.enipam.sdk.PoolPolicy;

/** What the SDK's defaults answer passes every test; so does a policy that overrides each of them soundly. */
class SoundPolicyTest extends PoolPolicyContract {
    @Override
    protected PoolPolicy policy() {
        return () -> "sound";
    }
}
