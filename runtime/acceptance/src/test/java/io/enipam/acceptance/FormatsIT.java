package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.enipam.engine.testing.TestThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Every command in every format against one real daemon on an emulator with a fixed seed: the files in {@code golden/}, from
 * which {@link OutputNormalizer} has taken what is different in each run. After a wanted change run this once with {@code
 * -Dgolden.write=true}, and read the difference before it is committed. Then every way a command can fail, with its exit status.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FormatsIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Load YAML = new Load(LoadSettings.builder().build());

    @TempDir
    static Path scratch;

    private static ProgramRunner programs;
    private static Path root;

    @AutoClose
    private static DaemonWithShell daemon;

    private static int files;

    @BeforeAll
    static void aNodeWithPods() throws IOException {
        root = scratch.resolve("node");
        programs = new ProgramRunner(Files.createDirectories(scratch.resolve("tmp")));
        Project.copy(
                Project.root().resolve("plugins-examples/warm-target-policy/target/plugin"),
                root.resolve("lib/plugins/warm-target-policy"));
        daemon = new DaemonWithShell(programs, root);
        daemon.start("--emulate");
        for (String command : new String[] {
            "cni add --pod default/web-0",
            "cni add --pod kube-system/dns",
            "cni add --pod default/gone",
            "cni del --pod default/gone",
            "cloud fault add DescribeVpcs --nth 9 --code Throttling.User",
            "gc run"
        }) {
            assertThat(run("-c", command).status()).as(command).isZero();
        }
        settled();
        answer("db backup " + root.resolve("records.jsonl"));
        answer("lab generate --pattern cron --pods 3 --hours 1 " + root.resolve("trace"));
        Files.writeString(root.resolve("swap.runbook"), "pool show\npool policy watermark\n");
    }

    private static void settled() {
        Awaitility.await("the pool is at rest")
                .atMost(Duration.ofSeconds(60))
                .until(() -> run(
                                        "-c",
                                        "pool show | jq -e '.pool.counts | .creating == 0 and .disposing == 0 and .idle > 0 and .cooling == 0'")
                                .status()
                        == 0);
    }

    private static ProgramRunner.Result run(String... arguments) {
        return daemon.shell().run(arguments);
    }

    private static String answer(String command) {
        ProgramRunner.Result answer = run("-c", command);
        assertThat(answer.err()).as(command).isEmpty();
        assertThat(answer.status()).as(command).isZero();
        return answer.out();
    }

    @Order(1)
    @Test
    void everyCommandThereIsIsOnTheTour() {
        assertThat(Stream.of(CommandTour.looks(), CommandTour.changes(), CommandTour.blows())
                        .flatMap(List::stream)
                        .map(CommandTour.Stop::command))
                .as("what is missing belongs into Tour, with a line that shows it")
                .containsAll(CommandTour.GRAMMAR.keySet());
    }

    @Order(1)
    @ParameterizedTest
    @MethodSource("io.enipam.acceptance.CommandTour#looks")
    void aCommandAnswersInEveryFormatAsItDid(CommandTour.Stop stop) throws IOException {
        visit(stop);
    }

    @Order(3)
    @ParameterizedTest
    @MethodSource("io.enipam.acceptance.CommandTour#changes")
    void soDoesOneThatChangesSomething(CommandTour.Stop stop) throws IOException {
        visit(stop);
    }

    @Order(5)
    @ParameterizedTest
    @MethodSource("io.enipam.acceptance.CommandTour#blows")
    void soDoesOneThatHurts(CommandTour.Stop stop) throws IOException {
        String json = answer(filled(stop.line()) + " -o json");

        assertThat(JSON.readTree(json).has(stop.field().orElseThrow())).isTrue();
    }

    private static void visit(CommandTour.Stop stop) throws IOException {
        Map<String, String> seen = new LinkedHashMap<>();
        if (stop.formats().isEmpty()) {
            seen.put("", answer(stop.line()));
        }
        for (String format : stop.formats()) {
            String[] lines = filled(stop.before() + "\n" + stop.line()).split("\n", -1);
            if (!lines[0].isEmpty()) {
                answer(lines[0]);
            }
            seen.put(format, answerOrNoNames(lines[1] + " -o " + format));
        }
        if (seen.containsKey("json")) {
            String json = OutputNormalizer.json(seen.remove("json"), root.toString());
            String yaml = OutputNormalizer.json(
                    JSON.writeValueAsString(YAML.loadFromString(seen.remove("yaml"))), root.toString());
            if (stop.field().isEmpty()) {
                assertThat(yaml).as("as YAML").isEqualTo(json);
            } else {
                assertThat(JSON.readTree(json).has(stop.field().get())).as(json).isTrue();
                assertThat(JSON.readTree(yaml).has(stop.field().get())).as(yaml).isTrue();
            }
            seen.put("json", json + "\n");
        }
        if (stop.field().isPresent()) {
            seen.forEach((format, text) -> assertThat(text).as(format).matches("(?s).*\\S.*|"));
        } else {
            StringBuilder all = new StringBuilder();
            seen.forEach((format, text) -> all.append(format.isEmpty() ? "" : "--- " + format + "\n")
                    .append(format.equals("json") ? text : OutputNormalizer.text(text, root.toString())));
            assertThat(all.toString()).isEqualTo(golden(stop.line(), all.toString()));
        }
    }

    /** A line about what is there: the ENI, an idle address, a trace, a log, and a file that is not there yet. */
    private static String filled(String line) {
        return line.replace(
                        "${eni}",
                        line.contains("${eni}")
                                ? answer("eni list -o name | tail -n 1").strip()
                                : "")
                .replace(
                        "${idle}",
                        line.contains("${idle}")
                                ? answer("pool idle --columns address | tail -n 1")
                                        .strip()
                                : "")
                .replace("${trace}", root.resolve("trace").toString())
                .replace("${log}", line.contains("${log}") ? log().toString() : "")
                .replace("${new}", root.resolve("file-" + files++).toString());
    }

    /** As containerd writes it of a pod that comes. */
    private static Path log() {
        try {
            return Files.writeString(
                    root.resolve("containerd.log"),
                    "time=\"2026-11-27T10:00:00.25Z\" level=info msg=\"RunPodSandbox for name:\\\"web-0\\\" uid:\\\"u\\\""
                            + " namespace:\\\"default\\\" returns sandbox id \\\"a1\\\"\"\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is about nothing with an identifier says so, as an error of usage, and so does what is no list. */
    private static String answerOrNoNames(String line) {
        ProgramRunner.Result answer = run("-c", line);
        if (line.endsWith("-o name") && answer.status() == 2 && answer.err().contains("has no names")) {
            return "(no names)\n";
        }
        if (line.endsWith("-o csv") && answer.status() == 2 && answer.err().contains("has no CSV")) {
            return "(no list)\n";
        }
        assertThat(answer.err()).as(line).isEmpty();
        assertThat(answer.status()).as(line).isZero();
        return answer.out();
    }

    private static String golden(String command, String seen) throws IOException {
        Path file = Project.root()
                .resolve("runtime/acceptance/src/test/resources/golden/" + command.replaceAll("[^a-z0-9]+", "-")
                        + ".txt");
        if (Boolean.getBoolean("golden.write")) {
            Files.createDirectories(file.getParent());
            Files.writeString(file, seen);
            return seen;
        }
        return Files.readString(file);
    }

    @Order(2)
    @ParameterizedTest
    @MethodSource("io.enipam.acceptance.HelpExamples#readOnly")
    void anExampleOfTheHelpCanBeTypedAndPrintsWhatItSays(HelpExamples.Example example) {
        String line = HelpExamples.here(example.line(), exampleNames());
        ProgramRunner.Result answer = run("-c", line);

        // 1: a grep that finds nothing, something that is not there
        assertThat(answer.status()).as(line + ": " + answer.err()).isIn(0, 1);
        assertThat(answer.err()).as(line).doesNotContain("NOT_FOUND");
        if (!example.headings().isEmpty() && HelpExamples.hasTable(answer.out())) {
            assertThat(answer.out().lines().map(HelpExamples::headings))
                    .as(line)
                    .contains(example.headings());
        }
    }

    private static Map<String, String> exampleNames() {
        String eni = answer("eni list -o name | head -n 1").strip();
        Map<String, String> names = new LinkedHashMap<>();
        names.put("eni-(1|xpvl|bp1a2b3c|bp1a2b)\\b", eni);
        names.put("10\\.0\\.[01]\\.[0-9]+", "10.0.0.2");
        names.put("factory cidr", "factory eni");
        names.put("default/web-1", "default/web-0");
        names.put(
                "3f2a9c|sim-[0-9a-f]+",
                answer("pool inuse -o json | jq -r '.leases[0].owner.container'")
                        .strip());
        names.put("/?[a-z/0-9-]*\\.jsonl", root.resolve("records.jsonl").toString());
        names.put("(?<=> )[a-z-]+\\.[a-z]+", root.resolve("printed").toString());
        names.put("plugin effects files", "plugin effects warm-target-policy");
        names.put("plugin grants files", "plugin grants");
        names.put("plugin help hostlocal", "plugin help warm-target-policy");
        names.put("swap\\.runbook", root.resolve("swap.runbook").toString());
        return names;
    }

    @Order(2)
    @Test
    void namesAreWhatOtherCommandsTake() {
        for (String[] pair : new String[][] {
            {"pool inuse", "pod show"},
            {"pod list", "pod show"},
            {"eni list", "eni show"},
            {"db dump", "db get"},
            {"plugin list", "plugin info"}
        }) {
            String name = answer(pair[0] + " -o name").lines().findFirst().orElseThrow();
            answer(pair[1] + " '" + name + "'");
        }
    }

    @Order(2)
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stauts                                     | 2 | unknown command",
                "pool inuse --columns nope                  | 2 | unknown column 'nope'",
                "pool inuse -o xml                          | 2 | is not table, wide, vertical, csv, json, yaml or name",
                "eni show eni-none                          | 1 | NOT_FOUND",
                "db get leases/none                         | 1 | NOT_FOUND",
                "pod show default/none                      | 1 | NOT_FOUND",
                "plugin info none                           | 1 | NOT_FOUND",
                "cni check --pod default/none               | 1 | CHECK_FAILED",
                "cni add --pod default/x --netns /proc/1/ns | 1 | INVALID_ARGUMENT",
                "pool warm 0                                | 2 | takes a number of addresses",
                "pool drain                                 | 2 | Add --yes",
                "pod delete default/web-0                   | 2 | Add --yes",
                "pool show > /                              | 1 | it is a directory",
            })
    void whatFailsIsToldWithItsExitStatus(String command, int status, String told) throws IOException {
        ProgramRunner.Result person = run("-c", command);
        assertThat(person.status()).isEqualTo(status);
        assertThat(person.err().lines()).hasSize(1);
        assertThat(person.err()).contains(told);
        if (command.contains("-o ")) {
            return; // it says itself what it wants
        }
        ProgramRunner.Result scripted = run("-o", "json", "-c", command);
        assertThat(scripted.status()).isEqualTo(status);
        assertThat(JSON.readTree(scripted.err()).fieldNames())
                .toIterable()
                .containsExactly("code", "message", "hint", "command", "exit");
    }

    @Order(2)
    @Test
    void whoCannotAttachIsToldWhy() throws IOException {
        Path file = Files.writeString(scratch.resolve("plain"), "");
        Path deserted = scratch.resolve("deserted");
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(deserted));
        }
        for (Path socket : new Path[] {scratch.resolve("none"), file, deserted}) {
            ProgramRunner.Result answer = new AttachedShell(socket, scratch).run("-o", "json", "status");
            assertThat(answer.status()).as(socket.toString()).isEqualTo(3);
            assertThat(answer.err().lines()).hasSize(1);
        }
    }

    @Order(2)
    @Test
    void aReaderThatGoesAwayEndsTheStream() {
        PrintStream closed = new LeavingReader(OutputStream.nullOutputStream(), new AtomicBoolean(true));

        assertThat(daemon.shell().into(closed, new ByteArrayOutputStream(), "-c", "pool inuse --watch=0.1"))
                .isZero();
    }

    @Order(4)
    @Test
    void aDrainedPoolStaysSoOverARestartWhichWhoFollowsTheEventsIsTold() throws InterruptedException {
        answer("pool drain --yes");
        String drained = "pool show | jq -e '.pool.order.kind == \"DRAINED\" and .pool.counts.creating == 0'";
        assertThat(run("-c", drained).status()).isZero();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        AtomicBoolean left = new AtomicBoolean();
        CompletableFuture<Integer> following = CompletableFuture.supplyAsync(
                () -> daemon.shell().into(new LeavingReader(out, left), err, "-c", "events -f"), TestThreads.PER_TASK);
        awaitUntil("the stream has begun", () -> out.size() > 0);

        daemon.kill();
        awaitUntil(
                "who follows is told",
                () -> err.toString(StandardCharsets.UTF_8).contains("the daemon went away"));
        daemon.start("--emulate");

        assertThat(run("-c", drained).status()).isZero();
        assertThat(answer("status")).contains("drained for");
        awaitUntil("and told again", () -> err.toString(StandardCharsets.UTF_8).contains("the daemon is back"));
        left.set(true);
        answer("pool warm 4");
        awaitUntil(
                "warm again",
                () -> run("-c", "pool show | jq -e '.pool.counts.idle >= 4'").status() == 0);
        awaitUntil("nobody reads the events", following::isDone);
        assertThat(following.join()).isZero();
    }

    private static void awaitUntil(String what, Callable<Boolean> holds) {
        Awaitility.await(what).atMost(Duration.ofSeconds(60)).until(holds);
    }

    /** Somebody who reads until he has left, as {@code head} does. */
    private static final class LeavingReader extends PrintStream {
        private final AtomicBoolean left;

        LeavingReader(OutputStream out, AtomicBoolean left) {
            super(out, true, StandardCharsets.UTF_8);
            this.left = left;
        }

        @Override
        public boolean checkError() {
            return left.get();
        }
    }
}
