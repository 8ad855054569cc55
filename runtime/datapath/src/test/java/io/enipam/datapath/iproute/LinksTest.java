package io.enipam.datapath.iproute;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

@RealKernel
class LinksTest {
    private static final int CHURNS = 6;

    /** ADDs of a burst were refused, since the links of the others among them came while the node's were compared. */
    @Test
    void linksThatComeAndGoDoNotHideTheNode() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(CHURNS);
        List<Future<?>> churns = new ArrayList<>();
        for (int churn = 0; churn < CHURNS; churn++) {
            String name = "c" + churn + "r";
            churns.add(threads.submit(() -> {
                for (int round = 0; !over.get(); round++) {
                    Sh.run("ip link add " + name + round + " type veth peer name p" + name + round);
                    Sh.run("ip link del " + name + round);
                }
            }));
        }
        try {
            for (int i = 0; i < 100; i++) {
                assertThat(Links.visible()).isTrue();
            }
        } finally {
            over.set(true);
            for (Future<?> churn : churns) {
                churn.get();
            }
            threads.shutdown();
        }
    }
}
