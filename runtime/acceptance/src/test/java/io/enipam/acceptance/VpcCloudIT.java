package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code enipam-cloud --dataplane} and the namespaces that it makes. */
class VpcCloudIT {
    @TempDir
    Path scratch;

    @BeforeAll
    static void require() {
        Netns.require();
    }

    @Test
    void whatAKilledCloudLeftIsRemovedByTheNextAndAStoppedOneLeavesNothing() throws Exception {
        ProgramRunner programs = new ProgramRunner(Files.createDirectory(scratch.resolve("tmp")));
        String links = Netns.ok("ip", "-o", "link");
        String rules = Netns.ok("ip", "rule");
        String prefix;
        try (VpcCloud killed = VpcCloud.start(programs, scratch, "end", "--instances=2")) {
            prefix = killed.prefix();
            assertThat(VpcCloud.namespaces(prefix))
                    .containsExactly(prefix + "-node-0", prefix + "-node-1", prefix + "-vpc");
            assertThat(programs.run(ProgramRunner.cloud(), "--dataplane", "--namespaces", prefix)
                            .err())
                    .hasLineCount(1)
                    .contains("another enipam-cloud has the namespaces " + prefix + "-*", "--namespaces");
            killed.kill();
            assertThat(VpcCloud.namespaces(prefix)).hasSize(3);
            try (VpcCloud next = VpcCloud.start(programs, scratch, "end")) {
                // the books say two instances, whatever the options say
                assertThat(VpcCloud.namespaces(prefix)).hasSize(3);
                assertThat(next.terminate()).isEqualTo(143);
                assertThat(VpcCloud.namespaces(prefix)).isEmpty();
            }
        }
        assertThat(Netns.ok("ip", "-o", "link")).isEqualTo(links);
        assertThat(Netns.ok("ip", "rule")).isEqualTo(rules);
    }

    @Test
    void aStartThatFailsLeavesNoNamespaceBehind() {
        ProgramRunner programs = new ProgramRunner(scratch);
        String prefix = "net" + ProcessHandle.current().pid() + "fail";
        for (String wrong : List.of("--unknown", "--route=172.20.1.0/24=node-9")) {
            ProgramRunner.Result refused = programs.run(ProgramRunner.cloud(), "--dataplane", "--namespaces", prefix, wrong);

            assertThat(refused.status()).as(refused.err()).isIn(1, 2);
            assertThat(VpcCloud.namespaces(prefix)).as(wrong).isEmpty();
        }
    }

    @Test
    void theControlApiAnswersOnAUnixSocketFromOutsideOfTheVpc() throws Exception {
        ProgramRunner programs = new ProgramRunner(Files.createDirectory(scratch.resolve("tmp")));
        Path socket;
        try (VpcCloud cloud = VpcCloud.start(programs, scratch, "ctl")) {
            socket = cloud.controlSocket();
            assertThat(cloud.control("GET", "/books", "")).startsWith("HTTP/1.1 200 ");
            assertThat(cloud.terminate()).isEqualTo(143);
        }
        assertThat(socket).doesNotExist();
    }

    @Test
    void aPrefixThatBeginsNoNameIsToldInALine() {
        ProgramRunner.Result refused = new ProgramRunner(scratch).run(ProgramRunner.cloud(), "--dataplane", "--namespaces=../x");

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).hasLineCount(1).contains("--namespaces is '../x'");
    }
}
