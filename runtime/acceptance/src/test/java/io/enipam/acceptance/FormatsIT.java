package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Every command in every format against one real daemon on an emulator with a fixed seed: the files in {@code golden/}, from
 * which {@link Normal} has taken what is different in each run. After a wanted change run this once with {@code
 * -Dgolden.write=true}, and read the difference before it is committed. Then every way a command can fail, with its exit status.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FormatsIT {
    @TempDir
    static Path scratch;

    private static Programs programs;
    private static Path root;
    private static AttendedDaemon daemon;

    @BeforeAll
    static void aNodeWithPods() throws IOException {
        root = scratch.resolve("node");
        programs = new Programs(Files.createDirectories(scratch.resolve("tmp")));
        daemon = AttendedDaemon.brief(programs, root);
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

    @AfterAll
    static void end() throws InterruptedException {
        daemon.close();
    }

    private static Programs.Result run(String... arguments) {
        return daemon.shell().run(arguments);
    }

    private static String answer(String command) {
        Programs.Result answer = run("-c", command);
        assertThat(answer.err()).as(command).isEmpty();
        assertThat(answer.status()).as(command).isZero();
        return answer.out();
    }

    @Order(1)
    @ParameterizedTest
    @ValueSource(
            strings = {
                "config show",
                "pool show",
                "pool inuse",
                "pool policy",
                "eni list",
                "eni sweep --dry-run",
                "pod list",
                "pod show default/web-0",
                "cni status",
                "gc status",
                "gc run --dry-run",
                "db dump --bucket leases",
                "db verify",
                "plugin list",
                "plugin info builtin",
                "plugin swap policy watermark --dry-run",
                "cloud fault list",
                "cloud latency",
                "cloud throttle",
                "ecs calls --api CreateNetworkInterface --limit 1"
            })
    void aCommandAnswersInEveryFormatAsItDid(String command) throws IOException {
        String json = Normal.json(answer(command + " -o json"), root.toString());
        StringBuilder seen = new StringBuilder();
        for (String format : new String[] {"table", "wide", "name"}) {
            seen.append("--- ")
                    .append(format)
                    .append('\n')
                    .append(Normal.text(answer(command + " -o " + format), root.toString()));
        }
        seen.append("--- json\n").append(json).append('\n');

        assertThat(yaml(command)).as("as YAML").isEqualTo(json);
        assertThat(seen.toString()).isEqualTo(golden(command, seen.toString()));
    }

    /** The YAML of a command, as the same document in JSON. */
    private static String yaml(String command) throws JsonProcessingException {
        Object read = new Load(LoadSettings.builder().build()).loadFromString(answer(command + " -o yaml"));
        return Normal.json(new ObjectMapper().writeValueAsString(read), root.toString());
    }

    /** What is in them depends on how fast the machine was: their columns and fields do not. */
    @Order(1)
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "status                 | node",
                "version                | java",
                "pool idle              | entries",
                "pool drain --dry-run   | prospect",
                "pool warm 3 --dry-run  | prospect",
                "events       | events",
                "ecs calls    | calls",
                "ecs budget   | apis",
                "db dump      | records",
                "pool history | samples",
            })
    void aCommandAboutTheLastMomentsAnswersInEveryFormat(String command, String field) throws JsonProcessingException {
        assertThat(new ObjectMapper().readTree(answer(command + " -o json")).has(field))
                .isTrue();
        assertThat(answer(command + " -o yaml")).contains(field + ":");
        assertThat(answer(command)).isNotBlank();
        assertThat(answer(command + " -o wide")).isNotBlank();
        answer(command + " -o name");
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
                "pool inuse -o xml                          | 2 | is not table, wide, json, yaml or name",
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
    void whatFailsIsToldWithItsExitStatus(String command, int status, String told) {
        Programs.Result person = run("-c", command);
        assertThat(person.status()).isEqualTo(status);
        assertThat(person.err().lines()).hasSize(1);
        assertThat(person.err()).contains(told);
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
            Programs.Result answer = run("--socket", socket.toString(), "-o", "json", "status");
            assertThat(answer.status()).as(socket.toString()).isIn(2, 3);
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

    @Order(3)
    @Test
    void aDrainedPoolStaysSoOverARestartWhichWhoFollowsTheEventsIsTold() throws InterruptedException {
        answer("pool drain --yes");
        String drained = "pool show | jq -e '.pool.order.kind == \"DRAINED\" and .pool.counts.creating == 0'";
        assertThat(run("-c", drained).status()).isZero();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        AtomicBoolean left = new AtomicBoolean();
        CompletableFuture<Integer> following = CompletableFuture.supplyAsync(
                () -> daemon.shell().into(new LeavingReader(out, left), err, "-c", "events -f"));
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
