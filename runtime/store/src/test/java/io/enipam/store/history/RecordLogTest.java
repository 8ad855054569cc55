package io.enipam.store.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.model.Event;
import io.enipam.engine.model.Event.Severity;
import io.enipam.store.Disk;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordLogTest {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00.000123456Z");
    private static final HistoryLimits ROOMY = new HistoryLimits(Duration.ofDays(30), 64L << 20);
    private static final int FULL = 16;

    @TempDir
    Path files;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final AtomicBoolean full = new AtomicBoolean();

    @AfterEach
    void endTheThread() {
        thread.shutdownNow();
    }

    private RecordLog<Event> open(HistoryLimits limits, Instant now) {
        return RecordLog.open(
                files,
                new ReflectedFormat<>(Event.class, "events", event -> Stream.of(event.subject()), Event::at, Event::at),
                FULL,
                () -> limits,
                Clock.fixed(now, ZoneOffset.UTC),
                disk(),
                thread);
    }

    private RecordLog<Event> open() {
        return open(ROOMY, NOON.plusSeconds(3600));
    }

    /** The local disk, which has no room while {@link #full} is set. */
    private Disk disk() {
        Disk local = Disk.local();
        InvocationHandler bounded = (proxy, method, arguments) -> {
            if (full.get() && List.of("create", "write").contains(method.getName())) {
                throw new IOException("No space left on device");
            }
            try {
                Object answer = method.invoke(local, arguments);
                return answer instanceof Disk.DiskFile file ? new BoundedFile(file) : answer;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return (Disk) Proxy.newProxyInstance(Disk.class.getClassLoader(), new Class<?>[] {Disk.class}, bounded);
    }

    private final class BoundedFile implements Disk.DiskFile {
        private final Disk.DiskFile file;

        BoundedFile(Disk.DiskFile file) {
            this.file = file;
        }

        @Override
        public void write(ByteBuffer bytes, long offset) throws IOException {
            if (full.get()) {
                throw new IOException("No space left on device");
            }
            file.write(bytes, offset);
        }

        @Override
        public void force() throws IOException {
            file.force();
        }

        @Override
        public boolean isLinked() throws IOException {
            return file.isLinked();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }

    private static Event event(long n) {
        return new Event(
                n,
                NOON.plusSeconds(n),
                n % 3 == 0 ? Severity.WARNING : Severity.INFO,
                "LeaseGranted",
                "default/web-" + n % 5,
                n % 2 == 0 ? "" : "got 10.0.0." + n,
                Map.of("pod", "default/web-" + n % 5, "container", "%064x".formatted(n)));
    }

    private static void add(RecordLog<Event> log, int from, int to) {
        for (int n = from; n < to; n++) {
            Event event = event(n);
            log.add(() -> event);
        }
    }

    private static HistorySearch<Event> all() {
        return new HistorySearch<>(List.of(), Instant.MIN, Instant.MAX, event -> true, Integer.MAX_VALUE);
    }

    private static List<Event> events(int from, int to) {
        List<Event> events = new ArrayList<>();
        for (int n = from; n < to; n++) {
            events.add(event(n));
        }
        return events;
    }

    /** A death leaves a frame that ends too early; one that has its length and not its bytes was damaged. */
    @Test
    void aDamagedEndIsCutOffAndSaidAndOneThatADeathCutIsNot() throws IOException {
        for (boolean cut : new boolean[] {true, false}) {
            try (RecordLog<Event> log = open()) {
                add(log, 0, 3);
                log.turn();
                add(log, 3, 6);
            }
            Path tail;
            try (Stream<Path> all = Files.list(files)) {
                tail = all.filter(file -> file.toString().endsWith(".log"))
                        .findFirst()
                        .orElseThrow();
            }
            byte[] bytes = Files.readAllBytes(tail);
            bytes[bytes.length - 40] ^= 1;
            Files.write(tail, cut ? Arrays.copyOf(bytes, bytes.length - 40) : bytes);
            try (RecordLog<Event> log = open()) {
                assertThat(log.latest(1000)).isEqualTo(events(0, 3));
                assertThat(log.state().trouble().isPresent()).isEqualTo(!cut);
                log.state()
                        .trouble()
                        .ifPresent(trouble -> assertThat(trouble).contains("bytes were damaged, and are cut off"));
            }
            Files.delete(tail);
        }
    }

    @Test
    void whatWasAddedIsThereAfterTenRestartsInItsOrderUnderOneIdentity() {
        long identity = 0;
        for (int run = 0; run < 10; run++) {
            try (RecordLog<Event> log = open()) {
                assertThat(log.latest(1000)).isEqualTo(events(0, run * 10));
                identity = run == 0 ? log.identity() : identity;
                assertThat(log.identity()).isEqualTo(identity);
                add(log, run * 10, run * 10 + 10);
            }
        }
        try (RecordLog<Event> log = open()) {
            assertThat(log.latest(1000)).isEqualTo(events(0, 100));
            assertThat(log.latest(5)).endsWith(event(98), event(99)).hasSizeLessThan(5 + 2 * FULL);
            assertThat(log.state())
                    .isEqualTo(new RecordLog.State(
                            100,
                            log.state().bytes(),
                            Optional.of(event(0).at().truncatedTo(ChronoUnit.MILLIS)),
                            0,
                            Optional.empty()));
        }
    }

    @Test
    void recordsAreFoundByAKeyAndByATimeTheLastFirst() {
        try (RecordLog<Event> log = open()) {
            add(log, 0, 100);
            HistorySearch<Event> web3 = new HistorySearch<>(
                    List.of("default/web-3"),
                    event(50).at(),
                    event(90).at(),
                    event -> event.subject().equals("default/web-3"),
                    3);
            assertThat(log.find(web3)).containsExactly(event(88), event(83), event(78));
        }
        try (RecordLog<Event> log = open()) {
            HistorySearch<Event> moment =
                    new HistorySearch<>(List.of(), event(7).at(), event(8).at(), event -> true, 100);
            assertThat(log.find(moment)).containsExactly(event(8), event(7));
        }
    }

    @Test
    void aFullDiskIsSaidAndWhatCameMeanwhileIsWrittenWhenThereIsRoomAgain() throws Exception {
        try (RecordLog<Event> log = open()) {
            add(log, 0, 3);
            written(log);
            full.set(true);
            add(log, 3, 6);
            written(log);
            assertThat(log.state().trouble())
                    .hasValueSatisfying(why ->
                            assertThat(why).contains("the history of events").contains("No space left on device"));
            assertThat(log.find(all())).as("those in memory are found").hasSize(6);
            full.set(false);
            written(log);
            assertThat(log.state().trouble()).isEmpty();
        }
        try (RecordLog<Event> log = open()) {
            assertThat(log.latest(100)).isEqualTo(events(0, 6));
        }
    }

    @Test
    void aDiskThatIsFullForLongCostsTheOldestOfWhatCameAndTheirNumberIsSaid() throws Exception {
        try (RecordLog<Event> log = open()) {
            full.set(true);
            add(log, 0, 5 * FULL);
            written(log);
            assertThat(log.state().dropped()).isEqualTo(FULL);
            assertThat(log.state().records()).isEqualTo(4 * FULL);
            full.set(false);
        }
        try (RecordLog<Event> log = open()) {
            assertThat(log.latest(1000)).isEqualTo(events(FULL, 5 * FULL));
        }
    }

    @Test
    void whoAddsNeverWaitsAndWhatFindsTheQueueFullIsCounted() throws Exception {
        RecordLog<Event> log = open();
        thread.shutdownNow(); // nobody writes
        add(log, 0, RecordLog.QUEUE + 7);
        assertThat(log.state().dropped()).isEqualTo(7);
        log.close();
    }

    @Test
    void aDamagedFileIsPutAsideAndSaidAndTheOthersAreRead() throws Exception {
        try (RecordLog<Event> log = open()) {
            for (int part = 0; part < 4; part++) {
                add(log, part * FULL, (part + 1) * FULL);
                written(log);
            }
        }
        Path first = files.resolve("events-0000000001.seg");
        byte[] bytes = Files.readAllBytes(first);
        bytes[40] ^= 1;
        Files.write(first, bytes);
        try (RecordLog<Event> log = open()) {
            assertThat(log.state().trouble())
                    .hasValueSatisfying(why -> assertThat(why).contains(first.getFileName() + ".damaged"));
            assertThat(log.latest(1000)).isEqualTo(events(FULL, 4 * FULL));
            add(log, 4 * FULL, 4 * FULL + 1);
        }
        try (RecordLog<Event> log = open()) {
            assertThat(log.latest(1000)).isEqualTo(events(FULL, 4 * FULL + 1));
        }
    }

    @Test
    void aTailThatADeathCutGoesOnBehindTheLastWholePart() throws Exception {
        try (RecordLog<Event> log = open()) {
            add(log, 0, 3);
            written(log);
            add(log, 3, 6);
        }
        Path tail = files.resolve("tail-0000000001.log");
        byte[] bytes = Files.readAllBytes(tail);
        Files.write(tail, Arrays.copyOf(bytes, bytes.length - 40));
        try (RecordLog<Event> log = open()) {
            assertThat(log.latest(100)).isEqualTo(events(0, 3));
            add(log, 6, 7);
        }
        try (RecordLog<Event> log = open()) {
            assertThat(log.latest(100)).containsExactly(event(0), event(1), event(2), event(6));
            assertThat(log.state().trouble()).isEmpty();
        }
    }

    @Test
    void aClockThatIsSetBackChangesNoOrderAndDeletesNothing() {
        try (RecordLog<Event> log = open()) {
            add(log, 50, 60);
        }
        try (RecordLog<Event> log = open(ROOMY, NOON.minus(Duration.ofDays(400)))) {
            add(log, 0, 5);
            assertThat(log.latest(100)).startsWith(event(50)).endsWith(event(4)).hasSize(15);
            assertThat(log.find(all())).hasSize(15);
        }
    }

    @Test
    void aClockThatIsSetAheadForgetsWhatIsTooOldByItAndGoesOn() throws Exception {
        try (RecordLog<Event> log = open()) {
            add(log, 0, FULL);
            written(log);
        }
        Instant ahead = NOON.plus(Duration.ofDays(31));
        try (RecordLog<Event> log = open(ROOMY, ahead)) {
            Event now = new Event(99, ahead, Severity.INFO, "PoolWarmed", "pool", "", Map.of());
            log.add(() -> now);
            written(log);
            assertThat(log.find(all())).containsExactly(now);
            assertThat(log.state().records()).isEqualTo(1);
        }
    }

    @Test
    void theOldestFilesGiveWayToTheSize() throws Exception {
        try (RecordLog<Event> log = open(new HistoryLimits(Duration.ofDays(30), 4096), NOON.plusSeconds(3600))) {
            for (int part = 0; part < 20; part++) {
                add(log, part * FULL, (part + 1) * FULL);
                written(log);
            }
            assertThat(log.state().bytes()).isLessThanOrEqualTo(4096);
            assertThat(log.latest(1000)).isNotEmpty().endsWith(event(20 * FULL - 1));
        }
    }

    /** Returns when the thread has had a turn that began later than now. */
    private void written(RecordLog<Event> log) throws Exception {
        for (int turn = 0; turn < 2; turn++) {
            thread.submit(log::turn).get();
        }
    }

    public record Before(long number, String gone, List<Part> parts, Optional<Duration> took) {}

    public record After(
            Optional<Duration> took, List<Part> parts, String fresh, long number, Map<Severity, Integer> counts) {}

    public record Part(String name, Instant at, boolean flag) {}

    @Test
    void aRecordIsReadByTheNamesOfItsComponentsAlsoWhenItsClassHasChanged() throws Exception {
        List<Part> parts = List.of(new Part("a", NOON, true), new Part("", Instant.EPOCH, false));
        Before before = new Before(-7, "x", parts, Optional.of(Duration.ofNanos(5)));
        byte[] bytes = format(Before.class).encode(List.of(before, new Before(0, "", List.of(), Optional.empty())));
        assertThat(format(Before.class).decode(bytes))
                .containsExactly(before, new Before(0, "", List.of(), Optional.empty()));
        assertThat(format(After.class).decode(bytes))
                .containsExactly(
                        new After(Optional.of(Duration.ofNanos(5)), parts, "", -7, Map.of()),
                        new After(Optional.empty(), List.of(), "", 0, Map.of()));
    }

    private static <T extends Record> ReflectedFormat<T> format(Class<T> type) {
        return new ReflectedFormat<>(type, "records", record -> Stream.empty(), record -> NOON, record -> NOON);
    }
}
