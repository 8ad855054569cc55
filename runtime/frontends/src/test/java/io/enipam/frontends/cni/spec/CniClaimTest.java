package io.enipam.frontends.cni.spec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.frontends.cni.spec.CniVariables.CniCommand;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A call of the CNI as an allocator sees it. */
class CniClaimTest {
    private static final String NETWORK =
            "{\"cniVersion\":\"1.0.0\",\"name\":\"lan\",\"type\":\"x\",\"ipam\":{\"type\":\"x\",\"allocator\":\"a\"}}";
    private static final PodRef WEB = PodRef.parse("default/web");

    @Test
    void thePodThatIsNamedIsTheSubjectWithTheUidThatTheRuntimeTold() {
        CniClaim claim = claim("K8S_POD_NAMESPACE=default;K8S_POD_NAME=web;K8S_POD_UID=u1");

        assertThat(claim.pod()).contains(WEB);
        assertThat(claim.subject().uid()).isEqualTo("u1");
        assertThat(claim.subject().labels()).isEmpty();
    }

    @Test
    void itCarriesTheLabelsAndAnnotationsOfAPodThatIsKnown() {
        CniClaim claim = claim("K8S_POD_NAMESPACE=default;K8S_POD_NAME=web")
                .about(new Pod(
                        WEB,
                        "u2",
                        false,
                        Duration.ZERO,
                        List.of(),
                        PodNetworkSpec.NONE,
                        new Metadata(Map.of("team", "shop"), Map.of("rack", "7"))));

        assertThat(claim.subject().uid()).isEqualTo("u2");
        assertThat(claim.subject().labels()).containsExactly(Map.entry("team", "shop"));
        assertThat(claim.subject().annotations()).containsExactly(Map.entry("rack", "7"));
        assertThat(claim.id().text()).isEqualTo("lan/c1/eth0");
    }

    @Test
    void aContainerWithoutAPodIsItsOwnSubject() {
        CniClaim claim = claim("");

        assertThat(claim.pod()).isEmpty();
        assertThat(claim.subject().name()).isEqualTo("c1");
    }

    private static CniClaim claim(String args) {
        CniVariables variables = CniVariables.read(Map.of(
                "CNI_COMMAND",
                "ADD",
                "CNI_CONTAINERID",
                "c1",
                "CNI_NETNS",
                "/n",
                "CNI_IFNAME",
                "eth0",
                "CNI_PATH",
                "/p",
                "CNI_ARGS",
                args));
        return CniClaim.read(
                variables,
                NetConf.read(NETWORK.getBytes(UTF_8), CniCommand.ADD),
                Instant.now().plusSeconds(60));
    }
}
