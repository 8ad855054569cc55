package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.CniProgram.Answer;
import io.enipam.acceptance.FakeContainerRuntime.Sandbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A node whose daemon cannot change the kernel, since its {@code /sys} is of another network namespace. */
class UnusableKernelIT {
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final String REASON = "/sys/class/net shows another network namespace";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path scratch;

    @AutoClose
    private static VpcNodes vpc;

    private static NetworkNode node;
    private static FakeContainerRuntime runtime;

    @BeforeAll
    static void start() throws Exception {
        vpc = VpcNodes.start(scratch, "nosys", "--instances=2", "--instance-type=ecs.g7.4xlarge");
        node = vpc.node(0, "datapath: {use: auto}\npool: {min_idle: 2, max_idle: 4, cool_down: 1s}\n", "");
        runtime = VpcNodes.runtime(node);
    }

    @Test
    void aNodeOnWhichNoPodCanBeConnectedSaysSoEverywhereServesDelsAndIsReadyOnceThatIsMended() throws Exception {
        node.launchWithForeignSysfs();
        Awaitility.await("the daemon serves, but for ADD")
                .atMost(SOON)
                .untilAsserted(() -> assertThat(node.shell("status").out())
                        .as(node.logTail())
                        .contains("DEGRADED", "no pod can be connected", REASON));

        Sandbox sandbox = runtime.sandbox("web-0");
        try {
            Answer refused = runtime.add(sandbox);
            assertThat(refused.json().path("code").asInt()).isEqualTo(104);
            assertThat(refused.json().path("msg").asText()).contains(REASON);
            assertThat(runtime.delete(sandbox).isDone())
                    .as("a DEL of what was never connected")
                    .isTrue();

            Answer status = runtime.status();
            assertThat(status.json().path("code").asInt()).isEqualTo(50);
            assertThat(status.json().path("msg").asText()).contains(REASON);
            assertThat(node.shell("cni status").out()).contains("50", REASON);
            ProgramRunner.Result doctor = node.shell("doctor");
            assertThat(doctor.status()).isEqualTo(1);
            assertThat(doctor.out()).contains("CRITICAL\n  kernel-unusable", REASON);
            assertThat(readyz()).contains("[-]kernel failed: ", REASON);
            assertThat(node.logTail()).containsPattern("ERROR .*KernelUnusable").contains(REASON);

            mend();

            Awaitility.await("the daemon notices that it can connect pods")
                    .atMost(SOON)
                    .untilAsserted(() -> assertThat(node.shell("cni status").status())
                            .as(node.logTail())
                            .isZero());
            assertThat(runtime.status().out()).isEmpty();
            Awaitility.await("it is ready").atMost(SOON).until(() -> readyz().equals("ok"));
            assertThat(node.ok("status")).contains("READY").doesNotContain(REASON);
            node.ok("doctor kernel-unusable");
            // each verdict is made when it is requested; the event comes with the next periodic one
            Awaitility.await("the event")
                    .atMost(SOON)
                    .untilAsserted(() -> assertThat(node.logTail()).contains("KernelUsable"));
            Sandbox pod = runtime.run(sandbox);
            Reachability.reach(
                    List.of(pod), List.of(vpc.cloud().address(0), vpc.cloud().address(1)));
            runtime.stop(pod);
            NodeKernelState.assertNothingIsLeft(node);
        } finally {
            sandbox.netns().remove();
        }
    }

    private static String readyz() {
        return node.netns().run("curl", "-s", "http://127.0.0.1:9498/readyz").strip();
    }

    /** Mounts a sysfs of the node's network namespace where the daemon looks. */
    private static void mend() throws IOException, InterruptedException {
        Process mount = new ProcessBuilder(
                        "nsenter",
                        "-t",
                        Long.toString(node.pid()),
                        "--mount",
                        "--net",
                        "mount",
                        "-t",
                        "sysfs",
                        "sysfs",
                        "/sys")
                .inheritIO()
                .start();
        assertThat(mount.waitFor()).isZero();
    }
}
