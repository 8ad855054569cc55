package io.enipam.engine.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.OwnerKey;
import io.enipam.sdk.PodRef;
import org.junit.jupiter.api.Test;

class LeaseBookTest {
    private static final OwnerKey OWNER = new OwnerKey("enipam", "c-1", "eth0");
    private static final PodRef POD = new PodRef("default", "web-0");

    private final LeaseBook book = new LeaseBook();

    @Test
    void aDelFindsTheQueueOfASandboxWhoseFirstAddFailedWhileItsSecondWaits() {
        book.began(OWNER, POD);
        book.began(OWNER, POD);

        book.ended(OWNER, POD);

        assertThat(book.podOf(OWNER)).isEqualTo(POD);
        book.ended(OWNER, POD);
        assertThat(book.podOf(OWNER)).isNull();
    }
}
