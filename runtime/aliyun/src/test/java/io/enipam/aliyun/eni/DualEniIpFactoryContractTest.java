package io.enipam.aliyun.eni;

import io.enipam.sdk.Capabilities;
import io.enipam.sdk.Family;
import java.util.Set;

/** The ENI-IP factory keeps the SDK's rules where each resource has an address of both families. */
class DualEniIpFactoryContractTest extends EniIpFactoryContractTest {
    @Override
    boolean dual() {
        return true;
    }

    @Override
    protected Capabilities declared() {
        return new Capabilities(Set.of(Family.IPV4, Family.IPV6), ENIS * IPS, 10, false);
    }
}
