package io.enipam.daemon.warmup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.daemon.warmup.JitWarmUp.Budget;
import io.enipam.engine.NodeIpam;
import io.enipam.engine.policy.WatermarkPolicy;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.Event;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.GetMetersRequest;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.ListInUseRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The warm-up serves ADDs and DELs, ends by itself, with the first call of a pod and when it is closed, and leaves no trace. */
class JitWarmUpTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration LONG = Duration.ofHours(1);

    @TempDir
    Path directory;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger own = (Logger) LoggerFactory.getLogger("io.enipam");
    private final Level before = own.getLevel();
    private final AtomicInteger looks = new AtomicInteger();

    @BeforeEach
    void listen() {
        own.setLevel(Level.INFO);
        log.start();
        own.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        own.detachAppender(log);
        own.setLevel(before);
    }

    private JitWarmUp warmUp(int lastLook, Budget budget) {
        return new JitWarmUp(
                () -> new InMemoryNode(NodeIpam::new, new WatermarkPolicy(), new DocumentedNetwork(), directory),
                () -> looks.incrementAndGet() > lastLook,
                budget);
    }

    @Test
    void servesSoManyBurstsAndLeavesNeitherFilesNorThreadsNorLogRecords() throws Exception {
        Set<Thread> threads = threads();
        try (JitWarmUp warmUp = warmUp(Integer.MAX_VALUE, new Budget(3, LONG))) {
            warmUp.begin();
            warmUp.begin();
            // the last look is the one that asks whether to wait for a burst
            await().atMost(PATIENCE).until(() -> looks.get() == 5 && files().isEmpty());
        }
        await().atMost(PATIENCE).until(() -> threads.containsAll(threads()));
        assertThat(log.list).isEmpty();
    }

    @Test
    void endsWithTheFirstCallOfAPodAndClosesWhatItOpenedWhenItIsClosed() throws Exception {
        try (JitWarmUp warmUp = warmUp(5, new Budget(Integer.MAX_VALUE, LONG))) {
            warmUp.begin();
            await().atMost(PATIENCE).until(() -> looks.get() == 7);
            assertThat(files()).containsExactly("w");
        }
        assertThat(files()).isEmpty();
        assertThat(looks).hasValue(7);
        assertThat(log.list).isEmpty();
    }

    @Test
    void takesNoMoreTimeThanItMay() throws Exception {
        try (JitWarmUp warmUp = warmUp(Integer.MAX_VALUE, new Budget(Integer.MAX_VALUE, Duration.ofNanos(1)))) {
            warmUp.begin();
            await().atMost(PATIENCE).until(() -> looks.get() == 3 && files().isEmpty());
        }
    }

    @Test
    void closesWhileItWorksAndDoesNotBeginAfterThat() throws Exception {
        JitWarmUp working = warmUp(Integer.MAX_VALUE, new Budget(Integer.MAX_VALUE, LONG));
        working.begin();
        await().atMost(PATIENCE).until(() -> looks.get() > 10);
        working.close();
        assertThat(files()).isEmpty();
        int last = looks.get();
        working.begin();

        JitWarmUp never = warmUp(Integer.MAX_VALUE, new Budget(Integer.MAX_VALUE, LONG));
        never.close();
        never.begin();

        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(threads()).extracting(Thread::getName).doesNotContain(JitWarmUp.THREAD));
        assertThat(looks).hasValue(last);
    }

    @Test
    void aFailureIsLoggedAndHasNoOtherConsequence() throws Exception {
        try (JitWarmUp warmUp = new JitWarmUp(
                () -> {
                    throw new IOException("no room");
                },
                () -> false,
                Budget.USUAL)) {
            warmUp.begin();
            await().atMost(PATIENCE).until(() -> log.list.size() == 1);
        }
        assertThat(log.list.get(0).getLevel()).isEqualTo(Level.WARN);
        assertThat(log.list.get(0).getThrowableProxy().getMessage()).isEqualTo("no room");
    }

    @Test
    void aDaemonThatWarmedUpKnowsNothingOfIt() throws Exception {
        Files.writeString(
                Files.createDirectories(directory.resolve("etc/enipam")).resolve("enipam.yaml"),
                "daemon: {jit_warm_up: true}\n");
        Path home = directory.resolve("run/unpacked/w");
        // a daemon was killed while it warmed up
        Files.writeString(Files.createDirectories(home.resolve("attachments")).resolve("left.json"), "");
        try (WatchService watch = directory.getFileSystem().newWatchService()) {
            WatchKey made = home.getParent().register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            knowsNothingOfIt(home, made);
        }
    }

    private void knowsNothingOfIt(Path home, WatchKey made) throws Exception {
        try (LivingDaemon daemon = LivingDaemon.start(directory)) {
            await("it has begun")
                    .atMost(PATIENCE)
                    .until(() -> made.pollEvents().stream()
                            .anyMatch(event -> home.getFileName().equals(event.context())));
            await("it has ended").atMost(PATIENCE).until(() -> !Files.exists(home));

            SocketClient client = daemon.client();
            assertThat(client.inspect().getMeters(GetMetersRequest.getDefaultInstance()))
                    .satisfies(meters -> assertThat(meters.getAdd().getDone()).isZero())
                    .satisfies(meters -> assertThat(meters.getDel().getDone()).isZero());
            assertThat(stories(client)).isZero();
            assertThat(events(client)).containsOnlyOnce("EngineReady").doesNotContain("CniCallFailed");
            client.inspect()
                    .listInUse(ListInUseRequest.getDefaultInstance())
                    .forEachRemaining(part -> assertThat(part.getLeasesList()).isEmpty());
            client.inspect()
                    .dumpDb(DumpDbRequest.getDefaultInstance())
                    .forEachRemaining(part -> assertThat(part.toString()).doesNotContain("in-memory"));
            client.inspect()
                    .getLog(GetLogRequest.getDefaultInstance())
                    .forEachRemaining(part -> assertThat(part.getRecordsList())
                            .allSatisfy(record -> assertThat(record.getThread()).isNotEqualTo(JitWarmUp.THREAD)));

            client.control()
                    .cniAdd(CniAddRequest.newBuilder().setPod("default/first").build());
            assertThat(stories(client)).isEqualTo(1);
        }
    }

    private static int stories(SocketClient client) {
        AtomicInteger stories = new AtomicInteger();
        client.inspect()
                .getTrace(GetTraceRequest.getDefaultInstance())
                .forEachRemaining(part -> stories.addAndGet(part.getStoriesCount()));
        return stories.get();
    }

    private static List<String> events(SocketClient client) {
        return client.events().stream().map(Event::getType).toList();
    }

    private List<String> files() throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                // what the JDK and JUnit keep for later
                .filter(thread -> !thread.getName().matches("(?i).*(common|awaitility|Cleaner|forkjoin).*"))
                .collect(Collectors.toSet());
    }
}
