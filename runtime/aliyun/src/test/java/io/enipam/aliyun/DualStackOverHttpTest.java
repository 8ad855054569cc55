package io.enipam.aliyun;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.aliyun.eni.FactorySettings.VSwitchPolicy;
import io.enipam.sdk.Address;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Family;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pods with both families by the real client, on an emulated cloud that keeps the API's rules. */
@Timeout(120)
class DualStackOverHttpTest {
    private static final String IPV4_ALONE = "vsw-four";
    private static final String BOTH = "vsw-both";

    private static Map<String, String> vswitches() {
        Map<String, String> vswitches = new LinkedHashMap<>();
        vswitches.put(IPV4_ALONE, "10.0.1.0/24");
        vswitches.put(BOTH, "10.0.2.0/24,2001:db8:0:2::/64");
        return vswitches;
    }

    private static EniConfig in(String... vswitches) {
        return EniConfig.defaults()
                .withVSwitches(Map.of(EmulatedNode.ZONE, List.of(vswitches)), VSwitchPolicy.ORDERED)
                .dual(true);
    }

    @Test
    void pairsAreMadeWhereThereIsIpv6AndGivenBackWhole() throws Exception {
        try (EmulatedNode node = new EmulatedNode("ecs.g7.xlarge", vswitches());
                AliyunCloud cloud = node.open(in(IPV4_ALONE, BOTH))) {
            assertThat(node.events.of("VSwitchUnusable"))
                    .singleElement()
                    .asString()
                    .contains(IPV4_ALONE, "no IPv6 block");
            ResourceFactory factory = cloud.factory(EniUse.ADDRESSES);
            factory.list().toCompletableFuture().get(30, TimeUnit.SECONDS);

            List<Resource> made = node.get(factory, 12);

            assertThat(made)
                    .allSatisfy(resource -> assertThat(resource.addresses())
                            .extracting(Address::family)
                            .containsExactly(Family.IPV4, Family.IPV6));
            assertThat(made.stream().map(it -> it.addresses().get(1).host())).doesNotHaveDuplicates();
            assertThat(made.get(0).addresses().get(1).host()).startsWith("2001:db8:0:2::");
            List<Resource> secondary =
                    made.stream().filter(resource -> !resource.primary()).toList();
            for (var gone : factory.dispose(secondary)) {
                assertThat(gone.toCompletableFuture().get(60, TimeUnit.SECONDS)).isInstanceOf(Disposed.class);
            }
            assertThat(cloud.enis().enis()).allSatisfy(eni -> {
                assertThat(eni.addresses()).hasSize(1);
                assertThat(eni.ipv6s()).hasSize(1);
            });
        }
    }

    @Test
    void aTypeWithOneIpv6AddressAnEniBearsOnePodEach() {
        try (EmulatedNode node = new EmulatedNode("ecs.g6.large", vswitches());
                AliyunCloud cloud = node.open(in(BOTH))) {
            assertThat(cloud.factory(EniUse.ADDRESSES).capabilities().capacity())
                    .isEqualTo(1);
        }
    }

    @Test
    void withoutIpv6AnywhereTheStartSaysWhichVSwitchLacksIt() {
        try (EmulatedNode node = new EmulatedNode("ecs.g7.xlarge", vswitches())) {
            assertThatThrownBy(() -> node.open(in(IPV4_ALONE)).close())
                    .isInstanceOfSatisfying(
                            FactoryException.class,
                            refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.MISCONFIGURED))
                    .hasMessageContainingAll(IPV4_ALONE, "no IPv6 block", "turn on IPv6");
        }
    }

    @Test
    void aTypeWithoutIpv6IsRefusedByName() {
        try (EmulatedNode node = new EmulatedNode("ecs.t1.xsmall", vswitches())) {
            assertThatThrownBy(() -> node.open(in(BOTH)).close())
                    .isInstanceOf(FactoryException.class)
                    .hasMessageContainingAll("ecs.t1.xsmall", "no IPv6 address", "ip_stack");
        }
    }
}
