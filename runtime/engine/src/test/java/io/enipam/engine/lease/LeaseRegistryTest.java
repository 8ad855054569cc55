package io.enipam.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import org.junit.jupiter.api.Test;

class LeaseRegistryTest {
    private static final OwnerKey OWNER = new OwnerKey("enipam", "c-1", "eth0");
    private static final PodRef POD = new PodRef("default", "web-0");

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
}
