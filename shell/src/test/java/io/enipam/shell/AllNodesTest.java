package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.kubernetes.testing.ExecServer.Program;
import io.enipam.v1.DrainPoolRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.ListCommandsReply;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.RunCommandRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --all-nodes}: one line at many daemons. */
@Timeout(120)
class AllNodesTest extends ClusterShell {
    /** Takes whatever is said, and says nothing. */
    private static final Program HANGS = (words, in, out, err) -> {
        ByteBuffer buffer = ByteBuffer.allocate(1024);
        while (in.read(buffer) >= 0) {
            buffer.clear();
        }
        return 0;
    };

    /** Two that answer, one whose daemon is gone, one that hangs, one that is forbidden and one without a pod. */
    private void sixNodes() throws IOException {
        node("cn-2");
        node("cn-10");
        cluster.daemon("cn-dead", relay("cn-dead"));
        cluster.daemon("cn-hangs", HANGS);
        cluster.daemon("cn-locked", relay("cn-2"));
        cluster.node("cn-virtual", Map.of());
        cluster.refuse((verb, object) -> object.equals("enipam-cn-locked") ? 403 : 0);
    }

    @Test
    void aListIsOneTableWithTheNodeInFrontAndTheNodesInOrder() throws IOException {
        node("cn-10");
        node("cn-2");

        TestShell.Result result = run("--all-nodes", "pool", "inuse");

        List<String> alone =
                shell().at(socket("cn-2"), "pool", "inuse").out().lines().toList();
        assertThat(result.out().lines())
                .containsExactly(
                        "NODE   " + alone.get(0),
                        "cn-2   " + alone.get(1),
                        "cn-2   " + alone.get(2),
                        "cn-10  " + alone.get(1),
                        "cn-10  " + alone.get(2));
        assertThat(result.err()).isEqualTo("enipam: 2 of 2 nodes done\n");
        assertThat(result.status()).isZero();
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void aStatusIsOneRowForEachNode() throws IOException {
        node("cn-1");
        node("cn-2");

        assertThat(run("--all-nodes", "status").out()).isEqualTo("""
                        NODE  PHASE  IN USE  IDLE  CAPACITY  WAITING  ENIS  VERSION  UP  TROUBLE
                        cn-1  READY  2       3     14        1        2     0.1.0    1h  the cloud took 10.0.1.14 off ENI eni-1: 1 pod without network (default/web-9)
                        cn-2  READY  2       3     14        1        2     0.1.0    1h  the cloud took 10.0.1.14 off ENI eni-1: 1 pod without network (default/web-9)
                        """);
    }

    @Test
    void aCommandOfAPluginRunsWhereTheNodeHasIt() throws IOException {
        FakeDaemon with = node("cn-1");
        with.answer(ListCommandsRequest.class, CannedCommands.ALL);
        with.answer(RunCommandRequest.class, CannedCommands.RANGES);
        node("cn-2").answer(ListCommandsRequest.class, ListCommandsReply.getDefaultInstance());

        TestShell.Result result = run("--all-nodes", "hostlocal", "ranges", "--above", "3");

        assertThat(result.out()).startsWith("NODE  RANGE").contains("cn-1  10.0.1.0/24  9");
        assertThat(result.err()).contains("cn-2").contains("unknown command 'hostlocal'");
        assertThat(result.status()).isNotZero();
        assertThat(run("--all-nodes", "stauts").err()).contains("Did you mean 'status'?");
    }

    @Test
    void whatIsNoTableIsLinesBehindTheNode() throws IOException {
        node("cn-1");

        assertThat(run("--all-nodes", "eni", "show", "eni-1").out().lines())
                .allMatch(line -> line.startsWith("cn-1  "));
    }

    @Test
    void thoseThatFailAreNamedWithTheirReasonAndTheOthersAnswer() throws IOException {
        sixNodes();

        TestShell.Result result = run("--all-nodes", "--node-timeout", "15s", "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.out().lines().map(line -> line.split(" ")[0])).containsExactly("NODE", "cn-2", "cn-10");
        List<String> err = result.err().lines().toList();
        assertThat(err).hasSize(5);
        assertThat(err.get(0)).startsWith("enipam: cn-dead: status failed: node cn-dead: there is no socket");
        assertThat(err.get(1)).startsWith("enipam: cn-hangs").containsAnyOf("did not answer", "in time");
        assertThat(err.get(2)).startsWith("enipam: cn-locked: status failed: the API server does not let you");
        assertThat(err.get(3))
                .startsWith("enipam: cn-virtual: status failed: there is no daemon's pod on node cn-virtual");
        assertThat(err.get(4))
                .isEqualTo("enipam: 2 of 6 nodes done, 4 failed: cn-dead, cn-hangs, cn-locked, cn-virtual");
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void jsonIsALineForEachAnswerAndForEachFailure() throws IOException {
        sixNodes();

        TestShell.Result result =
                run("--all-nodes", "--nodes", "cn-2,cn-10,cn-dead,cn-locked,cn-virtual", "-o", "json", "pool", "inuse");

        Map<String, JsonObject> lines = new TreeMap<>();
        result.out()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .forEach(line -> lines.put(line.get("node").getAsString(), line));
        assertThat(lines).hasSize(5);
        String alone = shell().at(socket("cn-2"), "-o", "json", "pool", "inuse").out();
        assertThat(lines.get("cn-2").get("reply")).isEqualTo(JsonParser.parseString(alone));
        assertThat(lines.get("cn-10").get("reply")).isEqualTo(JsonParser.parseString(alone));
        JsonObject error = lines.get("cn-locked").getAsJsonObject("error");
        assertThat(error.get("code").getAsString()).isEqualTo("FORBIDDEN");
        assertThat(error.get("exit").getAsInt()).isEqualTo(3);
        assertThat(lines.get("cn-virtual").getAsJsonObject("error").get("code").getAsString())
                .isEqualTo("NO_DAEMON");
        assertThat(lines.get("cn-dead").has("error")).isTrue();
        assertThat(result.err())
                .startsWith("enipam: 2 of 5 nodes done, 3 failed: ")
                .hasLineCount(1);
        assertThat(result.status()).isEqualTo(3);
    }

    @Test
    void yamlIsADocumentForEach() throws IOException {
        node("cn-1");

        assertThat(run("--all-nodes", "-o", "yaml", "version").out()).isEqualTo("""
                        ---
                        node: "cn-1"
                        reply:
                          version: "0.1.0"
                          java: "17.0.15"
                          os: "Linux 6.1 amd64"
                        """.replace("\"cn-1\"", "cn-1"));
    }

    @Test
    void aDaemonThatSaysNoIs1AndNamesAreBehindTheirNode() throws IOException {
        node("cn-1");
        FakeDaemon no = node("cn-2");
        no.fail(ListInUseRequest.class, io.grpc.Status.INTERNAL.withDescription("no room"));

        TestShell.Result result = run("--all-nodes", "-o", "name", "pool", "inuse");

        assertThat(result.out().lines()).isNotEmpty().allMatch(line -> line.matches("cn-1 [a-z-]+/[a-z0-9-]+"));
        assertThat(result.err()).contains("enipam: cn-2: pool inuse failed: no room (INTERNAL)");
        assertThat(result.status()).isEqualTo(1);
    }

    @Test
    void filtersRunAtEachNodeAndJqGivesReplies() throws IOException {
        node("cn-1");

        assertThat(run("--all-nodes", "-o", "json", "-c", "pool show | jq -c '{idle: .pool.counts.idle}'")
                        .out())
                .isEqualTo("{\"node\":\"cn-1\",\"reply\":{\"idle\":3}}\n");
    }

    @Test
    void whatCannotBeUndoneIsAskedOnceForAllWithTheirNumber() throws IOException {
        FakeDaemon one = node("cn-1");
        FakeDaemon two = node("cn-2");

        TestShell.Result no = asked("n", "--all-nodes", "pool", "drain");
        assertThat(no.err()).isEqualTo("'pool drain' on 2 nodes? [y/N] ");
        assertThat(no.out()).isEqualTo("nothing was changed\n");
        assertThat(one.received()).isEmpty();

        TestShell.Result yes = asked("y", "--all-nodes", "pool", "drain");
        assertThat(yes.err()).startsWith("'pool drain' on 2 nodes? [y/N] ").doesNotContain("failed");
        assertThat(yes.status()).isZero();
        assertThat(one.received()).anyMatch(DrainPoolRequest.class::isInstance);
        assertThat(two.received()).anyMatch(DrainPoolRequest.class::isInstance);
    }

    @Test
    void withoutATerminalItNeedsAYesAndNothingIsAskedOfTheCluster() throws IOException {
        node("cn-1");

        TestShell.Result result = run("--all-nodes", "pool", "drain");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .isEqualTo("enipam: it has to be confirmed and there is no terminal to ask on (UNCONFIRMED)."
                                .replace(" (UNCONFIRMED)", "")
                        + " Add --yes to the command\n");
        assertThat(cluster.requests()).isEmpty();
        assertThat(run("--all-nodes", "pool", "drain", "--yes").status()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "pool inuse --watch, 'would not end by itself'",
        "events -f, 'would not end by itself'",
        "top, 'Run it at one node, with --node NAME'",
        "help, 'asks no daemon'",
        "pool show -o json, 'all nodes answer in one format'",
        "pool show > all.txt, 'every node would write the same file'",
        "support-bundle x.tar.gz, 'every node would write the same file'",
        "pool shwo, 'show'"
    })
    void whatIsNotForManyNodesIsAUsageErrorBeforeAnythingIsAsked(String line, String why) throws IOException {
        node("cn-1");

        TestShell.Result result = run("--all-nodes", "-c", line);

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains(why).hasLineCount(1);
        assertThat(cluster.requests()).isEmpty();
    }

    @Test
    void manyNodesHaveNoPrompt() throws IOException {
        node("cn-1");

        assertThat(run("--all-nodes").err()).contains("many nodes have no prompt. Say what they are asked");
    }

    @Test
    void eachNodeCanHaveAFileOfItsOwn() throws IOException {
        node("cn-1");
        node("cn-2");

        TestShell.Result result = run("--all-nodes", "-c", "pool inuse > " + directory.resolve("{node}.txt"));

        assertThat(result.err()).isEqualTo("enipam: 2 of 2 nodes done\n");
        assertThat(Files.readString(directory.resolve("cn-2.txt")))
                .isEqualTo(shell().at(socket("cn-1"), "pool", "inuse").out());
    }

    @Test
    void nodesAreChosenByLabelAndByName() throws IOException {
        node("cn-1");
        node("cn-2");
        cluster.node("cn-2", Map.of("zone", "b"));

        assertThat(run("--all-nodes", "--selector", "zone=b", "version").out().lines())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("cn-2");
        assertThat(run("--all-nodes", "--nodes", "cn-1", "version").out().lines())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("cn-1");
        TestShell.Result unknown = run("--all-nodes", "--nodes", "cn-1,cn-9", "version");
        assertThat(unknown.err()).contains("cn-9: version failed: there is no node 'cn-9'", "1 of 2 nodes done");
        assertThat(unknown.status()).isEqualTo(3);
        assertThat(run("--all-nodes", "--selector", "zone=c", "version").err()).contains("there is no such node");
    }

    @Test
    void aRunbookRunsAtEveryNode() throws IOException {
        node("cn-1");
        FakeDaemon other = node("cn-2");
        other.fail(GetStatusRequest.class, io.grpc.Status.INTERNAL.withDescription("no room"));

        TestShell.Result result = run("--all-nodes", "run", "-c", "expect status | grep READY");

        assertThat(result.out()).contains("cn-1  # -c: 1 step done");
        assertThat(result.err()).contains("enipam: cn-2: run failed").contains("1 of 2 nodes done, 1 failed: cn-2");
        assertThat(result.status()).isEqualTo(1);
    }

    @Test
    void whoeverMayNotListNodesHearsThat() throws IOException {
        node("cn-1");
        cluster.refuse((verb, object) -> object.equals("nodes") ? 403 : 0);

        TestShell.Result result = run("--all-nodes", "version");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err())
                .startsWith("enipam: the API server does not let you list nodes")
                .hasLineCount(1);
    }

    @Test
    void aHundredAndTenNodesComeInPagesAndOnlySoManyAreAskedAtOnce() throws IOException {
        FakeDaemon all = daemon("all");
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Program counted = (words, in, out, err) -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            try {
                return relay("all").run(words, in, out, err);
            } finally {
                now.decrementAndGet();
            }
        };
        for (int i = 0; i < 110; i++) {
            cluster.daemon("cn-" + i, counted);
        }

        TestShell.Result result = run("--all-nodes", "--parallel", "5", "-o", "json", "version");

        assertThat(result.err()).isEqualTo("enipam: 110 of 110 nodes done\n");
        assertThat(result.out().lines()).hasSize(110);
        assertThat(all.received()).hasSize(110);
        assertThat(cluster.requests().stream().filter("list pods"::equals)).hasSize(2);
        // one that has answered may still be hanging up while the next is dialled
        assertThat(most.get()).isLessThanOrEqualTo(10);
    }

    @Test
    void ofManyThatFailTheFirstTenAreNamed() {
        for (int i = 0; i < 12; i++) {
            cluster.node("cn-" + i, Map.of());
        }

        assertThat(run("--all-nodes", "version").err())
                .endsWith("enipam: 0 of 12 nodes done, 12 failed: cn-0, cn-1, cn-2, cn-3, cn-4, cn-5, cn-6, cn-7, cn-8,"
                        + " cn-9 and 2 more\n");
    }
}
