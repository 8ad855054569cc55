package io.enipam.aliyun.eni;

import io.enipam.aliyun.testing.FakeEcsApi;
import io.enipam.sdk.Address;
import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.util.List;
import java.util.Set;

/** The factory of whole ENIs keeps the SDK's rules. */
class EniFactoryContractTest extends CloudFactoryContract {
    @Override
    EniUse use() {
        return EniUse.WHOLE;
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4), ENIS, 1, false);
    }

    @Override
    protected boolean refuseNext() {
        cloud.failNext(FakeEcsApi.Call.CREATE, "Throttling.User", 400);
        return true;
    }

    @Override
    protected Resource unknown(Resource like) {
        return new Resource(
                new ResourceId("eni-nobody-has"),
                like.kind(),
                List.of(Address.parse("10.0.1.250/24")),
                "",
                like.attributes());
    }
}
