package io.enipam.datapath.iproute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.datapath.iproute.Runner.CommandFailedException;
import io.enipam.datapath.lab.RealKernel;
import io.enipam.datapath.lab.Sh;
import io.enipam.datapath.netlink.NetlinkHelper;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@RealKernel
final class RunnerTest {
    private final Runner runner = new Runner(30, new NetlinkHelper(Optional.empty(), 30));

    @Test
    void theCommandThatFailedIsToldWithItsLineAndTheKernelsWords() {
        Batch batch = Batch.here()
                .up("lo")
                .noLink("nothere")
                .tcIfThere("qdisc del dev nothere root")
                .podRoute("10.1.1.1/32", "nothere")
                .rule(new NetnsSnapshot.Rule(true, 700, "fd00::1", "", "", false, "main", Batch.PROTOCOL));
        try {
            assertThatThrownBy(() -> runner.run(batch))
                    .isInstanceOf(CommandFailedException.class)
                    .hasMessage(
                            "'route replace 10.1.1.1/32 dev nothere scope link protocol 69' (line 4 of 5): Cannot find device \"nothere\"");
            assertThat(Sh.run("ip -6 rule show pref 700")).contains("fd00::1");
        } finally {
            Sh.tried("ip -6 rule del pref 700");
        }
        assertThat(runner.starts()).isEqualTo(1);
    }

    @Test
    void aReadIsWholeOrFails() {
        assertThat(runner.read("", List.of("ip -j link show dev lo", "ip -j rule show")))
                .hasSize(2);
        assertThatThrownBy(() -> runner.read("", List.of("ip -j link show dev lo", "ip -j link show dev nothere")))
                .hasMessageContaining("nothere");
    }

    @Test
    void whatNeverEndsIsKilledWithAllItHasStarted() {
        assertThatThrownBy(() -> new Runner(1, new NetlinkHelper(Optional.empty(), 1))
                        .start(List.of("sh", "-s"), "sleep 1000 & sleep 1000", 100))
                .hasMessageContaining("had not ended after 1 seconds and was killed");
    }

    @Test
    void whatSaysTooMuchIsCutOff() {
        assertThatThrownBy(() -> runner.start(List.of("sh", "-s"), "yes", 1_000))
                .hasMessageContaining("said more than 1000 bytes");
    }

    @Test
    void aCommandWithAQuoteOrACommentIsNeverBuilt() {
        for (String word : List.of("a\nb", "a'b", "a\"b", "a#b", "a\\b", "$(a)", "a;b")) {
            assertThatThrownBy(() -> Batch.here().ip("link set dev " + word))
                    .as(word)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
