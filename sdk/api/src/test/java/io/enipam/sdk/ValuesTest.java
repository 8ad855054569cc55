package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ValuesTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a\nb", "a;b", "a\u0000b", "ä"})
    void aResourceIdHasNoCharacterThatCouldBreakALogOrAPath(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> new ResourceId(text));
    }

    @Test
    void aResourceIdMayNameAnInterfaceAndAnAddress() {
        assertThat(new ResourceId("eni-bp1/10.0.1.7")).hasToString("eni-bp1/10.0.1.7");
        assertThat(new ResourceId("eni-bp1/2001:db8::1")).hasToString("eni-bp1/2001:db8::1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"web-0", "/web-0", "default/", "Default/web", "default/web_0", "default/-web", "a/b/c"})
    void aPodIsNamespaceSlashName(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> PodRef.parse(text));
    }

    @Test
    void aPodReadsBackAsWritten() {
        assertThat(PodRef.parse("kube-system/coredns-5d78c9869d-abcde").toString())
                .isEqualTo("kube-system/coredns-5d78c9869d-abcde");
    }

    @Test
    void anErrorAboutALongNameIsShort() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PodRef("default", "x".repeat(100_000)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
    }

    @Test
    void aResourceHasOneAddressOfAFamilyAtMost() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resource(List.of(Address.parse("10.0.0.1/24"), Address.parse("10.0.0.2/24"))))
                .withMessageContaining("two addresses of one family");
        assertThatIllegalArgumentException().isThrownBy(() -> resource(List.of()));
        assertThat(resource(List.of(Address.parse("10.0.0.1/24"), Address.parse("fd00::1/64")))
                        .addresses())
                .hasSize(2);
    }

    @Test
    void aResourceDoesNotChangeWithTheCollectionsItWasMadeOf() {
        List<Address> addresses = new java.util.ArrayList<>(List.of(Address.parse("10.0.0.1/24")));
        Resource resource = resource(addresses);

        addresses.clear();

        assertThat(resource.addresses()).hasSize(1);
    }

    @Test
    void aTargetIsARange() {
        assertThatIllegalArgumentException().isThrownBy(() -> Target.between(3, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> Target.between(-1, 2));
    }

    @Test
    void aFailureNamesAPauseThatIsNotNegative() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Failed(ErrorKind.THROTTLED, "slow down", Duration.ofSeconds(-1)));
    }

    @Test
    void everyMethodOfAPluginHasADefault() {
        assertThat(Arrays.stream(IpamPlugin.class.getDeclaredMethods())).allMatch(Method::isDefault);
        assertThat(new IpamPlugin() {}.poolPolicies()).isEmpty();
        assertThat(new IpamPlugin() {}.resourceFactories()).isEmpty();
    }

    private static Resource resource(List<Address> addresses) {
        return new Resource(new ResourceId("r"), ResourceKind.ENI_IP, addresses, "eni-1", Map.of());
    }
}
