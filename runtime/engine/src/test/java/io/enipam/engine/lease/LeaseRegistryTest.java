package io.enipam.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeaseRegistryTest {
    private static final OwnerKey OWNER = new OwnerKey("enipam", "c-1", "eth0");
    private static final PodRef POD = new PodRef("default", "web-0");

    private static final Resource ADDRESS = new Resource(
            new ResourceId("eni-1/10.0.0.1"),
            ResourceKind.ENI_IP,
            List.of(Address.parse("10.0.0.1/24")),
            "eni-1",
            Map.of());

    private final LeaseRegistry book = new LeaseRegistry();

    @Test
    void aDelFindsTheQueueOfASandboxWhoseFirstAddFailedWhileItsSecondWaits() {
        book.addStarted(OWNER, POD);
        book.addStarted(OWNER, POD);

        book.addEnded(OWNER, POD);

        assertThat(book.podOf(OWNER)).isEqualTo(POD);
        book.addEnded(OWNER, POD);
        assertThat(book.podOf(OWNER)).isNull();
    }

    @Test
    void thePodsLeasesAreThoseAmongAllLeasesInTheirOrder() {
        Random random = new Random(1);
        Map<OwnerKey, Lease> model = new HashMap<>();
        for (int step = 0; step < 2_000; step++) {
            OwnerKey owner = new OwnerKey("enipam", "c-" + random.nextInt(6), "eth0");
            PodRef pod = new PodRef("default", "web-" + random.nextInt(3));
            if (random.nextInt(3) == 0) {
                book.remove(owner);
                model.remove(owner);
            } else {
                Lease lease = new Lease(owner, pod, "uid-" + step, ADDRESS, Duration.ZERO, Instant.EPOCH);
                book.put(lease);
                model.put(owner, lease);
            }
            List<Lease> expected = new ArrayList<>(model.values());
            expected.removeIf(lease -> !lease.pod().equals(pod));
            expected.sort(Comparator.comparing(Lease::owner));
            assertThat(book.of(pod)).isEqualTo(expected);
        }
    }
}
