package io.enipam.datapath.iproute;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

@RealKernel
class LinksTest {
    /** ADDs of a burst were refused, since the links of the others among them came while the node's were compared. */
    @Test
    void linksThatComeAndGoDoNotHideTheNode() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> churn = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                Sh.run(
                        "for i in 1 2 3 4 5 6 7 8 9; do echo link add churn$i type veth peer name other$i; done | ip -batch -"
                                + " && for i in 1 2 3 4 5 6 7 8 9; do echo link del churn$i; done | ip -batch -");
            }
        });
        try {
            for (int i = 0; i < 300; i++) {
                assertThat(Links.visible()).isTrue();
            }
        } finally {
            over.set(true);
            churn.get();
        }
    }
}
