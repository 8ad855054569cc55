package io.enipam.frontends.cni;

import static io.enipam.frontends.cni.CniClient.conf;
import static io.enipam.frontends.cni.CniClient.variables;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.cni.FrameCodec.CniRequest;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.engine.PendingWork;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.TraceSink;
import io.enipam.engine.testing.TestThreads;
import io.enipam.frontends.cni.CniHandler.ClaimContext;
import io.enipam.frontends.cni.CniHandler.CniContext;
import io.enipam.node.kernel.NodeDatapath;
import io.enipam.node.pods.UnverifiedPods;
import io.enipam.observability.history.Meters;
import io.enipam.observability.history.Meters.CniAnswers;
import io.enipam.observability.history.Meters.FailedAdds;
import io.enipam.platform.ExecutorScheduler;
import io.enipam.platform.SystemTime;
import io.enipam.platform.testing.FakeDb;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.pluginhost.extension.Claims;
import io.enipam.sdk.PodRef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls that come before the engine serves, or that it refuses: codes, reasons, and who is told. */
@Timeout(120)
class StartingDaemonTest {
    @TempDir
    private Path directory;

    private final FakeEngine engine = new FakeEngine(1);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final CniAnswers answers = new CniAnswers();
    private volatile Optional<String> failing = Optional.empty();
    private volatile Duration patience = Duration.ofMillis(200);
    private String netns = "";

    @BeforeEach
    void begin() throws Exception {
        netns = Files.createFile(directory.resolve("netns")).toString();
    }

    @Test
    void addWaitsForTheEngineAndThenSaysTryAgain() {
        CniClient.Told told = call(true, variables("ADD", "a", netns), conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(11);
        assertThat(told.message()).contains("does not serve yet: it is NEW", "this call has waited 200 ms");
        assertThat(events).singleElement().asString().startsWith("CniCallFailed: ADD answered with code 11");
    }

    @Test
    void aCallThatWaitsIsServedAsSoonAsTheEngineIs() {
        patience = Duration.ofSeconds(60);
        for (String command : List.of("ADD", "DEL")) {
            FakeEngine late = new FakeEngine(1);
            CompletableFuture<CniClient.Told> call = CompletableFuture.supplyAsync(
                    () -> call(late, true, variables(command, "a", netns), conf("1.0.0", "")), TestThreads.PER_TASK);
            late.start().join();
            assertThat(call.join().exit()).as(command).isZero();
        }
    }

    @Test
    void statusSaysThatNoAddCanBeServedAndWhy() {
        CniClient.Told told = call(true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""));
        assertThat(told.code()).isEqualTo(50);
        assertThat(told.message()).contains("the daemon is NEW");
        engine.start().join();
        assertThat(call(true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""))
                        .exit())
                .isZero();
        call(true, variables("ADD", "a", netns), conf("1.1.0", ""));
        assertThat(call(true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""))
                        .message())
                .contains("the pool has no address left: all 1");
        engine.loseWhatIsLent();
        assertThat(call(true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""))
                        .code())
                .isEqualTo(51);
        assertThat(events).as("a runtime asks every few seconds").isEmpty();
    }

    @Test
    void statusWhileTheEngineStartsSaysNothingOfAPoolThatIsNotThereYet() {
        CniClient.Told told = call(new FakeEngine(0), true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""));
        assertThat(told.code()).isEqualTo(50);
        assertThat(told.message()).startsWith("the daemon is NEW |");
    }

    @Test
    void statusSaysThatTheKernelCannotBeChangedAsAnAddWould() {
        engine.start().join();
        CniClient.Told told = call(false, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""));
        assertThat(told.code()).isEqualTo(50);
        assertThat(told.message()).startsWith("this daemon connects no network namespaces: not here |");
    }

    @Test
    void gcSparesWhoIsAddedSinceItWasAskedAndTellsWhenAnEmptyListEndedALease() {
        engine.start().join();
        call(true, variables("ADD", "a", netns), conf("1.0.0", ""));
        Map<String, String> gc = Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/opt/cni/bin");
        String none = conf("1.1.0", "\"cni.dev/valid-attachments\":[]");

        engine.plan(PendingWork.empty(FakeEngine.AT.minusSeconds(1)));
        assertThat(call(true, gc, none).exit()).isZero();
        assertThat(engine.leases()).as("lent after the list was made").hasSize(1);

        engine.plan(new PendingWork(
                FakeEngine.AT,
                Set.of(new PodRef("default", "a")),
                List.of(),
                List.of(),
                Optional.empty(),
                Map.of(),
                PendingWork.NextRuns.NONE));
        assertThat(call(true, gc, none).exit()).isZero();
        assertThat(engine.leases()).as("its ADD is under way").hasSize(1);
        assertThat(events).isEmpty();

        engine.plan(PendingWork.empty(FakeEngine.AT));
        assertThat(call(true, gc, conf("1.1.0", "\"cni.dev/valid-attachments\":null"))
                        .exit())
                .isZero();
        assertThat(engine.leases()).as("null is no list").hasSize(1);
        assertThat(call(true, gc, none).exit()).isZero();
        assertThat(engine.leases()).isEmpty();
        assertThat(events)
                .containsExactly(
                        "CniGcEnded: GC ended 1 of 1 leases of network net: the runtime calls no sandbox valid;"
                                + " they were of default/a");
    }

    @Test
    void gcEndsWhatItCanAndTellsWhatItCouldNot() throws Exception {
        engine.start().join();
        call(true, variables("ADD", "a", netns), conf("1.0.0", ""));
        engine.plan(PendingWork.empty(FakeEngine.AT));
        Files.writeString(Files.createDirectories(directory.resolve("s")).resolve("b.json"), "{");
        CniClient.Told told = call(
                true,
                Map.of("CNI_COMMAND", "GC", "CNI_PATH", "/opt/cni/bin"),
                conf("1.1.0", "\"cni.dev/valid-attachments\":[]"));
        assertThat(told.code()).isEqualTo(108);
        assertThat(told.message()).contains("1 leases ended, and 1 could not", "the kernel could not be read");
        assertThat(engine.leases()).isEmpty();
    }

    @Test
    void aContainerStaysInTheNetworkNamespaceItIsConnectedTo() throws Exception {
        String other = Files.createFile(directory.resolve("other")).toString();
        NetnsGuard.requireSame(Optional.empty(), netns, "a");
        NetnsGuard.requireSame(
                Optional.of("/proc/self/ns/net"),
                "/proc/" + ProcessHandle.current().pid() + "/ns/net",
                "a");
        assertThatThrownBy(() -> NetnsGuard.requireSame(Optional.of(other), netns, "a"))
                .hasMessage("CNI_NETNS is " + netns + ", and container a is connected to network namespace " + other);
    }

    @Test
    void checkTellsOfAnAddressThatTheCloudHasTaken() {
        engine.start().join();
        String result =
                call(true, variables("ADD", "a", netns), conf("1.0.0", "")).stdout();
        engine.loseWhatIsLent();
        CniClient.Told told = call(true, variables("CHECK", "a", netns), conf("1.0.0", "\"prevResult\":" + result));
        assertThat(told.code()).isEqualTo(104);
        assertThat(told.message()).contains("the cloud has taken 10.0.0.2 from pod default/a");
    }

    @Test
    void theRefusalOfAPolicyIsToldInItsOwnWordsWithItsKind() {
        engine.start().join();
        String hint = "QUOTA_EXHAUSTED: refused by the policy quota";
        engine.failWith(new IpamException(ErrorCode.REFUSED, "namespace shop has 2 of its 2 addresses", hint));

        CniClient.Told told = call(true, variables("ADD", "a", netns), conf("1.0.0", ""));

        assertThat(told.code()).isEqualTo(109);
        assertThat(told.message()).isEqualTo("namespace shop has 2 of its 2 addresses | " + hint);
    }

    @Test
    void theEnginesRefusalHasItsCodeAndItsAdvice() {
        engine.start().join();
        call(true, variables("ADD", "a", netns), conf("1.0.0", ""));
        CniClient.Told told = call(true, variables("ADD", "b", netns), conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(101);
        assertThat(told.message()).isEqualTo("capacity 1 is reached, 1 in use | delete a pod");
        engine.failWith(new IpamException(ErrorCode.DEADLINE_EXCEEDED, "late", ""));
        assertThat(call(true, variables("ADD", "b", netns), conf("1.0.0", "")).code())
                .isEqualTo(11);
        assertThat(events).as("the engine tells of those itself").isEmpty();
        assertThat(answers.counts())
                .containsEntry(new CniAnswers.Kind("ADD", 0), 1L)
                .containsEntry(new CniAnswers.Kind("ADD", 101), 1L)
                .containsEntry(new CniAnswers.Kind("ADD", 11), 1L);
    }

    @Test
    void aBugIsAnAnswerToo() {
        engine.start().join();
        engine.failWith(new IllegalStateException("unforeseen"));
        CniClient.Told told = call(true, variables("ADD", "a", netns), conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(999);
        assertThat(told.message()).contains("unforeseen", "this is a bug");
    }

    @Test
    void aNodeWhoseKernelCannotBeChangedSaysSoBeforeAnythingIsLent() {
        engine.start().join();
        CniClient.Told told = call(false, variables("ADD", "a", netns), conf("1.0.0", ""));
        assertThat(told.code()).isEqualTo(104);
        assertThat(told.message()).contains("this daemon connects no network namespaces: not here");
        assertThat(engine.asked()).isEmpty();
    }

    @Test
    void whatIsWrongWithACallIsToldAndCountedBeforeAnythingIsLent() {
        engine.start().join();
        for (String more : List.of("\"mtu\":1", "\"prevResult\":5", "\"dns\":5", "\"args\":5")) {
            assertThat(call(true, variables("ADD", "a", netns), conf("1.0.0", more))
                            .code())
                    .as(more)
                    .isEqualTo(7);
        }
        assertThat(call(true, variables("FORGE", "a", netns), conf("1.0.0", "")).code())
                .isEqualTo(4);
        assertThat(engine.asked()).isEmpty();
        assertThat(events)
                .hasSize(5)
                .contains("CniCallFailed: OTHER answered with code 4: unknown CNI_COMMAND: \"FORGE\"");
        assertThat(answers.counts()).containsEntry(new CniAnswers.Kind("OTHER", 4), 1L);
    }

    @Test
    void theUidThatARuntimeTellsIsThePods() {
        engine.start().join();
        UnverifiedPods pods = new UnverifiedPods();
        CniContext parts = parts(engine, pods, true);
        new CniHandler(parts, this::published, answers::add)
                .handle(new CniRequest(
                        variables("ADD", "a", netns, "CNI_ARGS", "K8S_POD_NAMESPACE=x;K8S_POD_NAME=y;K8S_POD_UID=u-7"),
                        conf("1.0.0", "").getBytes(UTF_8)));
        assertThat(pods.find(engine.asked().get(0).pod())
                        .toCompletableFuture()
                        .join()
                        .orElseThrow()
                        .uid())
                .isEqualTo("u-7");
    }

    @Test
    void statusSaysThatEveryAddOfLateFailedButNotOnANodeThatIsOnlyFull() {
        failing = Optional.of("every ADD of the last 70 s failed");
        FakeEngine idle = new FakeEngine(2);
        idle.start().join();
        CniClient.Told told = call(idle, true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""));
        assertThat(told.code()).isEqualTo(50);
        assertThat(told.message()).startsWith("every ADD of the last 70 s failed");

        FakeEngine full = new FakeEngine(0);
        full.start().join();
        assertThat(call(full, true, Map.of("CNI_COMMAND", "STATUS"), conf("1.1.0", ""))
                        .message())
                .contains("no address left")
                .doesNotContain("failed");
    }

    private CniClient.Told call(boolean simulates, Map<String, String> variables, String conf) {
        return call(engine, simulates, variables, conf);
    }

    private CniClient.Told call(FakeEngine asked, boolean simulates, Map<String, String> variables, String conf) {
        return CniClient.Told.of(
                new CniHandler(parts(asked, new UnverifiedPods(), simulates), this::published, answers::add)
                        .handle(new CniRequest(variables, conf.getBytes(UTF_8))));
    }

    private CniContext parts(FakeEngine asked, UnverifiedPods pods, boolean simulates) {
        SystemTime time = new SystemTime();
        NodeDatapath kernel = new NodeDatapath(directory.resolve("s"), directory.resolve("c"), "not here");
        Troubles troubles = new Troubles(
                asked,
                new FakeDb(),
                kernel,
                Optional::empty,
                () -> failing.map(why -> new FailedAdds.Series(FakeEngine.AT, true, why)),
                simulates,
                List::of,
                Optional.of(Troubles.Node.ALONE));
        return new CniContext(
                asked,
                pods,
                kernel,
                troubles,
                new ClaimContext(
                        Claims.none(time, new ExecutorScheduler()),
                        TraceSink.NONE,
                        new Meters(time, new ApiCallLog(time, new SplittableRandom(1), Map.of()))),
                () -> patience);
    }

    private void published(
            Event.Severity severity, String type, String subject, String message, Map<String, String> attributes) {
        events.add(type + ": " + message);
    }
}
