package io.enipam.config.dynamic;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.config.ConfigLoader;
import io.enipam.config.DaemonConfig;
import io.enipam.config.KnownPlugins;
import io.enipam.config.RemoteConfig;
import io.enipam.engine.simulation.RecordedEvents;
import io.enipam.engine.simulation.VirtualTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceCidrResolverTest {
    private final RecordedEvents events = new RecordedEvents(new VirtualTime());
    private final Map<String, String> vswitches = new HashMap<>();
    private final DaemonConfig config = ConfigLoader.load(List.of(), true, Map.of(), KnownPlugins.none())
            .withRemote(RemoteConfig.none().withServiceCidrs(List.of("172.21.0.0/20", "fd00:10::/112")));
    private final ServiceCidrResolver services = new ServiceCidrResolver(() -> config, () -> vswitches, events);

    @Test
    void thoseThatOverlapNoVswitchAreUsed() {
        vswitches.put("vsw-a", "10.0.0.0/24");
        vswitches.put("vsw-without-a-range", "");
        services.refresh();

        assertThat(services.usable()).containsExactly("172.21.0.0/20", "fd00:10::/112");
        assertThat(services.refusals()).isEmpty();
        assertThat(events.types()).isEmpty();
    }

    @Test
    void thoseThatAreAVswitchsTooAreRefusedAndToldOnceAsLongAsThatLasts() {
        vswitches.put("vsw-b", "172.21.8.0/24");
        services.refresh();
        services.refresh();

        assertThat(services.usable()).containsExactly("fd00:10::/112");
        assertThat(services.refusals())
                .containsExactly(
                        "service_cidr 172.21.0.0/20 of configmap kube-system/kubeadm-config overlaps vSwitch vsw-b,"
                                + " 172.21.8.0/24: it is not used, for packets to pods there would go where services do;"
                                + " set service_cidr");
        assertThat(events.types()).containsExactly("ServiceCidrRefused");

        vswitches.clear();
        services.refresh();
        vswitches.put("vsw-b", "172.21.8.0/24");
        services.refresh();
        assertThat(events.types()).containsExactly("ServiceCidrRefused", "ServiceCidrRefused");
    }
}
