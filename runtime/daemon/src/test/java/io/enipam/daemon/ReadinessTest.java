package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.daemon.cni.AddReadiness;
import io.enipam.daemon.kernel.NodeKernel;
import io.enipam.daemon.testing.FakeDb;
import io.enipam.daemon.testing.FakeEngine;
import io.enipam.daemon.web.Checks;
import io.enipam.datapath.DatapathConfig;
import io.enipam.datapath.KernelDatapath;
import io.enipam.datapath.NodeSide;
import io.enipam.datapath.iproute.Sysctls;
import io.enipam.sdk.Family;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Health, probes and log of a node on which no ADD can work, though engine and database are well. */
class ReadinessTest {
    @TempDir
    Path directory;

    private final FakeEngine engine = new FakeEngine(3);
    private final List<Boolean> health = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private Optional<String> obstacle = Optional.empty();
    private Optional<String> failing = Optional.empty();
    private NodeKernel kernel;
    private Readiness readiness;

    @BeforeEach
    void open() {
        kernel = new NodeKernel(
                directory.resolve("s"),
                directory.resolve("c"),
                KernelDatapath.open(new DatapathConfig(directory.resolve("a"), new Nowhere(), Sysctls.USUAL)),
                () -> obstacle);
        readiness = new Readiness(
                new AddReadiness(engine, new FakeDb(), kernel, Optional::empty, () -> failing, false),
                health::add,
                (severity, type, subject, message, attributes) -> events.add(severity + " " + type + ": " + message));
        readiness.look();
        assertThat(health).as("the engine does not serve yet").isEmpty();
        engine.start().join();
        readiness.look();
        assertThat(health).containsExactly(true);
    }

    @AfterEach
    void close() {
        kernel.close();
    }

    @Test
    void a_kernel_that_cannot_be_changed_is_told_once_and_so_is_its_mend() {
        obstacle = Optional.of("no iproute2");
        readiness.look();
        readiness.look();
        assertThat(health).containsExactly(true, false);
        assertThat(failed()).containsExactly("kernel: this daemon can connect no pods: no iproute2");
        assertThat(events)
                .containsExactly("ERROR KernelUnusable: this daemon can connect no pods: no iproute2; until then no pod"
                        + " starts on this node");

        obstacle = Optional.empty();
        readiness.look();
        assertThat(health).containsExactly(true, false, true);
        assertThat(failed()).isEmpty();
        assertThat(events).last().isEqualTo("INFO KernelUsable: pods can be connected again");
    }

    @Test
    void adds_that_all_fail_are_told_once_and_so_is_the_end_of_that() {
        failing = Optional.of("every ADD of the last 70 s failed");
        readiness.look();
        readiness.look();
        assertThat(failed()).containsExactly("adds: every ADD of the last 70 s failed");
        failing = Optional.empty();
        readiness.look();
        assertThat(health).containsExactly(true, false, true);
        assertThat(events).hasSize(2).first().isEqualTo("ERROR AddsFailing: every ADD of the last 70 s failed");
    }

    @Test
    void a_daemon_that_stops_is_not_ready_any_more_whatever_else_is_well() {
        readiness.stop();
        readiness.look();
        assertThat(health).containsExactly(true, false);
        assertThat(failed()).containsExactly("shutdown: the daemon stops");
    }

    private List<String> failed() {
        return readiness.parts().stream()
                .filter(part -> part.trouble().isPresent())
                .map((Checks.Part part) -> part.name() + ": " + part.trouble().orElseThrow())
                .toList();
    }

    private static final class Nowhere implements NodeSide {
        @Override
        public Optional<InetAddress> address(Family family) {
            return Optional.empty();
        }

        @Override
        public List<String> serviceCidrs() {
            return List.of();
        }
    }
}
