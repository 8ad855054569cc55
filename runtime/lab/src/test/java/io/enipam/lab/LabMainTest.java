package io.enipam.lab;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.enipam.emulator.fault.ThrottleLimits;
import io.enipam.lab.replay.CloudProfile;
import io.enipam.lab.replay.Fleet;
import io.enipam.lab.replay.PolicyCatalog;
import io.enipam.lab.replay.PolicyChoice;
import io.enipam.lab.replay.Replay;
import io.enipam.lab.trace.TraceFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LabMainTest extends LabProgramFixture {
    @TempDir
    Path scratch;

    private Path trace() throws IOException {
        Path file = scratch.resolve("day.jsonl");
        Files.writeString(file, run("generate", "--pattern", "deploy", "--pods", "100", "--hours", "1", "--seed", "3"));
        assertThat(status).isZero();
        return file;
    }

    @Test
    void theSameSeedPrintsTheSameBytesTwice() throws IOException {
        String file = trace().toString();
        String[] words = {"run", file, "--policy", "watermark(min=5,max=10)", "--policy", "watermark(min=0,max=2)"};
        String once = run(words);
        assertThat(status).isZero();
        assertThat(once.lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"result\":{\"policy\":\"watermark(min="));
        assertThat(run(words)).isEqualTo(once);
    }

    @Test
    void anImportedLogIsReplayed() throws IOException {
        Path log = Files.writeString(scratch.resolve("containerd.log"), """
                time="2026-11-27T10:00:00Z" level=info msg="Start event monitor"
                time="2026-11-27T10:00:05Z" level=info msg="RunPodSandbox for name:\\"web-0\\"  uid:\\"u1\\"  namespace:\\"default\\""
                time="2026-11-27T10:00:06Z" level=info msg="RunPodSandbox for name:\\"web-0\\"  uid:\\"u1\\"  namespace:\\"default\\" returns sandbox id \\"a1\\""
                time="2026-11-27T10:02:00Z" level=info msg="TearDown network for sandbox \\"a1\\" successfully"
                time="2026-11-27T10:03:00Z" level=info msg="x"
                """);
        String trace = run("import", log.toString());
        assertThat(status).isZero();
        assertThat(trace).isEqualTo("""
                {"format":"enipam-lab-trace","version":1,"lengthMs":180000,"origin":"imported: containerd"}
                {"atMs":5000,"pod":"n-37a8eec1ce19/p-53842afe623a","livesMs":114000}
                """);
        Path file = Files.writeString(scratch.resolve("imported.jsonl"), trace);
        assertThat(run("run", file.toString(), "--policy", "watermark"))
                .contains("\"pods\":1,\"served\":1,\"waitedShare\":1.0000");
        run("import", scratch.resolve("none").toString());
        assertThat(status).isEqualTo(2);
    }

    @Test
    void aFleetsTraceIsReplayedByAsManyNodes() throws IOException {
        String[] words = {"generate", "--pattern", "cron", "--pods", "20", "--hours", "0.5", "--nodes", "3"};
        Path file = Files.writeString(scratch.resolve("fleet.jsonl"), run(words));
        assertThat(run(words)).isEqualTo(Files.readString(file));
        assertThat(run("run", file.toString(), "--policy", "watermark")).contains("\"pods\":60,", "\"nodes\":3,");
        assertThat(run("run", file.toString(), "--policy", "watermark", "--nodes", "4"))
                .contains("\"pods\":80,", "\"nodes\":4,");
        run("run", file.toString(), "--policy", "watermark", "--nodes", "2");
        assertThat(status).isEqualTo(2);
        run("sweep", file.toString());
        assertThat(status).isEqualTo(2);
        run("generate", "--pattern", "cron", "--nodes", "10001");
        assertThat(status).isEqualTo(2);
        run("generate", "--pattern", "cron", "--pods", "1000", "--nodes", "5001");
        assertThat(status).isEqualTo(2);
    }

    /** The cloud takes so few calls that its ENIs cannot be swept, which a daemon warns of. */
    @Test
    void whatSimulatedDaemonsLogIsNotOnStderr() throws Exception {
        String file = trace().toString();
        String narrow = "DescribeNetworkInterfaces=1";
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        Logger own = (Logger) LoggerFactory.getLogger("io.enipam");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        root.addAppender(log);
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            own.setLevel(Level.INFO);
            CloudProfile failing = new CloudProfile(List.of(), ThrottleLimits.parse(narrow), Map.of());
            PolicyChoice watermark = PolicyChoice.parse("watermark");
            Replay.run(TraceFile.read(Path.of(file)), failing, watermark, policies, 1, part -> {}, () -> true);
            assertThat(log.list).as("what such a replay logs").isNotEmpty();
            log.list.clear();
            run("run", file, "--policy", "watermark", "--throttle", narrow);
            assertThat(status).isZero();
            assertThat(log.list).isEmpty();
        } finally {
            root.detachAppender(log);
            own.setLevel(Level.INFO);
        }
    }

    @Test
    void aFleetSaysHowManyOfItsNodesHaveStartedBeforeItSaysHowFarItsTraceIs() throws Exception {
        Fleet fleet = new Fleet(List.of(TraceFile.read(trace())), 30, List.of());
        List<String> told = new ArrayList<>();
        List<Double> parts = new ArrayList<>();
        Replay.Progress progress = new Replay.Progress() {
            @Override
            public void starting(int started, int nodes, double part) {
                told.add(started + " of " + nodes);
                parts.add(part);
            }

            @Override
            public void replayed(double part) {
                told.add("the trace");
            }
        };
        try (PolicyCatalog policies = new PolicyCatalog(List.of(), List.of())) {
            Replay.run(
                    fleet,
                    CloudProfile.usual(),
                    PolicyChoice.parse("watermark"),
                    policies,
                    1,
                    progress,
                    () -> told.stream().noneMatch("the trace"::equals));
        }
        assertThat(told.get(0)).endsWith(" of 30").isNotEqualTo("30 of 30");
        assertThat(told).endsWith("30 of 30", "the trace");
        assertThat(parts).isSorted().allMatch(part -> part >= 0 && part <= 1);
        assertThat(parts.get(parts.size() - 1)).isGreaterThan(0.9);
    }

    @Test
    void aSweepPrintsEachReplayAndThenTheSameAdviceEachTime() throws IOException {
        String[] words = {"sweep", trace().toString(), "--min", "0..4", "--max", "4..8", "--step", "4", "--p99", "100"};
        String once = run(words);
        assertThat(status).isZero();
        // four of the grid, and the watermarks of a node that has none configured
        assertThat(once.lines()).hasSize(6);
        assertThat(once.lines().toList().get(5))
                .startsWith("{\"sweep\":{\"front\":[\"watermark(min=")
                .contains("\"present\":\"watermark(min=0,max=5)\"", "\"advice\":[");
        assertThat(run(words)).isEqualTo(once);
    }

    @Test
    void whatIsWrongWithTheWordsEndsWithStatus2() throws IOException {
        String file = trace().toString();
        assertThat(run("run", file, "--policy", "none")).isEmpty();
        assertThat(status).isEqualTo(2);
        run("run", file, "--policy", "watermark", "--errors", "Attach=5");
        assertThat(status).isEqualTo(2);
        run("run", file + "x", "--policy", "watermark");
        assertThat(status).isEqualTo(2);
        run("generate", "--pattern", "deploy", "--hours", "0");
        assertThat(status).isEqualTo(2);
        run("generate", "--pattern", "deploy", "--pods", "0");
        assertThat(status).isEqualTo(2);
    }
}
