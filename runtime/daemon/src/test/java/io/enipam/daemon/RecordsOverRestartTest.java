package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.store.Disk;
import io.enipam.store.history.HistoryLimits;
import io.enipam.store.history.RecordFormat;
import io.enipam.store.history.RecordLog;
import io.enipam.store.history.ReflectedFormat;
import io.enipam.v1.Event;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Lease;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The whole daemon, asked what happened before it started. */
@Timeout(300)
class RecordsOverRestartTest {
    private static final Duration PATIENTLY = Duration.ofSeconds(90);

    @TempDir
    Path temp;

    private int looks;

    @Test
    void eventsTracesAndSamplesGoOnOverAStopWhichIsMarked() {
        Path root = temp.resolve("node");
        WatchEventsReply before;
        GetTraceReply traced;
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            daemon.del(daemon.add("default/gone", PATIENTLY));
            traced = trace(daemon, "default/gone");
            await().atMost(PATIENTLY).until(() -> !samples(daemon, 3600).isEmpty());
            before = events(daemon, WatchEventsRequest.getDefaultInstance());
        }
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            WatchEventsReply after = events(daemon, WatchEventsRequest.getDefaultInstance());
            assertThat(after.getRun()).isEqualTo(before.getRun());
            assertThat(after.getEventsList()).containsAll(before.getEventsList());
            assertThat(after.getEventsList())
                    .extracting(Event::getSequence)
                    .isSorted()
                    .doesNotHaveDuplicates();
            Event restart = restart(after);
            assertThat(restart.getMessage()).startsWith("daemon restarted (stop)");
            assertThat(restart.getSeverity()).isEqualTo("INFO");
            long last = before.getEvents(before.getEventsCount() - 1).getSequence();
            WatchEventsRequest goesOn = WatchEventsRequest.newBuilder()
                    .setRun(before.getRun())
                    .setAfterSequence(last)
                    .build();
            assertThat(events(daemon, goesOn).getEventsList())
                    .as("who followed misses nothing, and sees nothing twice")
                    .isNotEmpty()
                    .doesNotContainAnyElementsOf(before.getEventsList());

            List<TraceStory> stories = trace(daemon, "default/gone").getStoriesList();
            assertThat(stories).extracting(TraceStory::getOperation).startsWith("ADD", "DEL");
            for (int i = 0; i < 2; i++) {
                TraceStory was = traced.getStories(i);
                assertThat(stories.get(i).getOutcome()).isEqualTo("OK");
                assertThat(stories.get(i).getPod()).isEqualTo("default/gone");
                assertThat(stories.get(i).getResource()).isEqualTo(was.getResource());
                assertThat(stories.get(i).getSpansList())
                        .extracting(TraceSpan::getStep)
                        .containsAll(was.getSpansList().stream()
                                .map(TraceSpan::getStep)
                                .toList());
            }
            GetTraceRequest then = GetTraceRequest.newBuilder()
                    .setTarget("default/gone")
                    .setTo(stories.get(0).getBegin())
                    .build();
            assertThat(trace(daemon, then).getStoriesList())
                    .extracting(TraceStory::getOperation)
                    .containsExactly("ADD");
            assertThat(stories)
                    .last()
                    .satisfies(story -> assertThat(story.getMessage()).startsWith("daemon restarted (stop)"));
            assertThat(trace(daemon, "").getStoriesList())
                    .extracting(TraceStory::getPod)
                    .contains("default/gone");

            await().atMost(PATIENTLY)
                    .until(() -> samples(daemon, 3600).stream()
                            .anyMatch(sample -> sample.getRestarted().equals("stop")));
            List<HistorySample> samples = samples(daemon, 3600);
            assertThat(samples.get(0).getRestarted()).isEmpty();
            assertThat(samples)
                    .extracting(HistorySample::getSequence)
                    .isSorted()
                    .doesNotHaveDuplicates();
            assertThat(samples(daemon, 86_400))
                    .as("the files have them, too")
                    .extracting(HistorySample::getSequence)
                    .containsAll(
                            samples.stream().map(HistorySample::getSequence).toList());
        }
    }

    @Test
    void aRunWithoutAnEndCrashedAndWhatItWroteIsThere() throws Exception {
        Path root = temp.resolve("node");
        Path crashed = temp.resolve("crashed");
        Event granted;
        try (LivingDaemon daemon = LivingDaemon.start(root, new EmulatedSurroundings())) {
            Lease lease = daemon.add("default/web-0", PATIENTLY);
            granted = events(daemon, WatchEventsRequest.getDefaultInstance()).getEventsList().stream()
                    .filter(event -> event.getType().equals("LeaseGranted"))
                    .findFirst()
                    .orElseThrow();
            assertThat(lease.getPod()).isEqualTo("default/web-0");
            await().atMost(PATIENTLY).until(() -> isWritten(root, temp.resolve("look" + looks++)));
            copy(root, crashed);
        }
        try (LivingDaemon daemon = LivingDaemon.start(crashed, new EmulatedSurroundings())) {
            WatchEventsReply after = events(daemon, WatchEventsRequest.getDefaultInstance());
            assertThat(after.getEventsList()).contains(granted);
            Event restart = restart(after);
            assertThat(restart.getMessage()).startsWith("daemon restarted (crash)");
            assertThat(restart.getSeverity()).isEqualTo("WARNING");
            assertThat(trace(daemon, "web-0").getStoriesList()).isEmpty();
            assertThat(trace(daemon, "default/web-0").getStoriesList())
                    .extracting(TraceStory::getOperation)
                    .startsWith("ADD");
            Timestamp since = Timestamps.subtract(granted.getAt(), Durations.fromSeconds(1));
            assertThat(events(
                                    daemon,
                                    WatchEventsRequest.newBuilder()
                                            .setFrom(since)
                                            .build())
                            .getEventsList())
                    .contains(granted, restart);
        }
    }

    /** Whether the files have the ADD and its event. */
    private boolean isWritten(Path root, Path copy) throws IOException {
        Path files = DaemonLayout.below(root).leaseHistory();
        copy(files, copy);
        return has(copy.resolve("events"), io.enipam.engine.model.Event.class, "LeaseGranted")
                && has(copy.resolve("traces"), TraceSnapshot.class, "operation=ADD");
    }

    private static <T extends Record> boolean has(Path files, Class<T> type, String text) {
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        RecordFormat<T> format = new ReflectedFormat<>(
                type,
                files.getFileName().toString(),
                record -> Stream.empty(),
                record -> Instant.EPOCH,
                record -> Instant.EPOCH);
        HistoryLimits limits = new HistoryLimits(Duration.ofDays(1), 1 << 20);
        try (RecordLog<T> log =
                RecordLog.open(files, format, 1024, () -> limits, Clock.systemUTC(), Disk.local(), thread)) {
            return log.latest(1024).stream()
                    .anyMatch(record -> record.toString().contains(text));
        } finally {
            thread.shutdownNow();
        }
    }

    private static Event restart(WatchEventsReply reply) {
        return reply.getEventsList().stream()
                .filter(event -> event.getAttributesMap().containsKey("ended"))
                .findFirst()
                .orElseThrow();
    }

    private static WatchEventsReply events(LivingDaemon daemon, WatchEventsRequest request) {
        WatchEventsReply.Builder all = WatchEventsReply.newBuilder();
        daemon.client().inspect().watchEvents(request).forEachRemaining(all::mergeFrom);
        return all.build();
    }

    private static GetTraceReply trace(LivingDaemon daemon, String target) {
        return trace(daemon, GetTraceRequest.newBuilder().setTarget(target).build());
    }

    private static GetTraceReply trace(LivingDaemon daemon, GetTraceRequest request) {
        GetTraceReply.Builder all = GetTraceReply.newBuilder();
        daemon.client().inspect().getTrace(request).forEachRemaining(all::mergeFrom);
        return all.build();
    }

    private static List<HistorySample> samples(LivingDaemon daemon, long seconds) {
        GetHistoryReply.Builder all = GetHistoryReply.newBuilder();
        daemon.client()
                .inspect()
                .getHistory(GetHistoryRequest.newBuilder()
                        .setSince(Durations.fromSeconds(seconds))
                        .build())
                .forEachRemaining(all::mergeFrom);
        return all.getSamplesList();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path copy = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copy);
                } else if (Files.isRegularFile(path)) {
                    try {
                        Files.copy(path, copy);
                    } catch (NoSuchFileException renamed) {
                        // what it replaced has its name, as where a machine fails at this moment
                    }
                }
            }
        }
    }
}
