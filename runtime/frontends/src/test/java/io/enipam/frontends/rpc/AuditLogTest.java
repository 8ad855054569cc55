package io.enipam.frontends.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.frontends.rpc.AuditLog.FailedAuditLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class AuditLogTest {
    private static final IOException FULL = new IOException("No space left on device");

    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime();
    private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final FailedAuditLines refused = new FailedAuditLines(logger, time);

    @BeforeEach
    void listen() {
        log.start();
        logger.setLevel(Level.INFO); // whatever a program that another test ran in this JVM has left
        logger.addAppender(log);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private List<String> said() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void refuse(int lines) {
        for (int i = 1; i <= lines; i++) {
            refused.add("line " + i, FULL);
        }
    }

    @Test
    void theFirstLineThatAFullDiskRefusesIsInTheLogAndThoseAfterItAreCountedOnceAMinute() {
        refuse(1000);
        assertThat(said())
                .singleElement()
                .asString()
                .contains("cannot be written", "No space left on device", "line 1");

        time.advance(Duration.ofMinutes(1));
        refuse(1000);
        assertThat(said()).hasSize(2).last().asString().contains("it lacks 1000 more lines", "No space left", "line 1");

        time.advance(Duration.ofMinutes(1));
        refused.report(false);
        assertThat(said()).hasSize(3).last().asString().contains("lacks 999 more lines");
        assertThat(log.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.ERROR, Level.ERROR, Level.WARN);
    }

    @Test
    void aDiskThatTakesEverySecondLineIsToldOfOnceAMinuteToo() {
        for (int i = 0; i < 100; i++) {
            refuse(1);
            refused.report(false);
        }

        assertThat(said()).hasSize(1);
        refused.report(true);
        assertThat(said()).hasSize(2).last().asString().contains("lacks 99 more lines");
    }

    @Test
    void nothingIsToldWhereAllIsWritten() {
        refused.report(false);
        refused.report(true);

        assertThat(said()).isEmpty();
    }

    @Test
    void aLineThatCannotBeWrittenIsInTheLog() throws IOException {
        Path file = directory.resolve("audit.log");
        AuditLog audit = AuditLog.open(file, 1 << 20, time);
        audit.record(new Peer(0, 1, 0), "", "CniAdd", "default/a", "c-a", "", false, "OK");
        audit.close();

        audit.record(new Peer(0, 1, 0), "", "CniDel", "default/a", "c-a", "", false, "OK");

        assertThat(Files.readAllLines(file)).singleElement().asString().contains("CniAdd");
        assertThat(said()).singleElement().asString().contains("the audit log is closed", "CniDel", "default/a");
    }

    private static void refused(AuditLog audit, int uid, int times) {
        for (int i = 0; i < times; i++) {
            audit.record(
                    new Peer(uid, 7, uid), "x".repeat(200), "WarmPool", "", "", "idle: 3", false, "PERMISSION_DENIED");
        }
    }

    @Test
    void aUserWhoseCallsAreRefusedFillsNoDiskAndIsALineAtOnceAndOneAMinuteWithTheNumber() throws IOException {
        Path file = directory.resolve("audit.log");
        try (AuditLog audit = AuditLog.open(file, 1 << 20, time)) {
            refused(audit, 1000, 10_000);
            refused(audit, 1001, 1);
            assertThat(Files.readAllLines(file))
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .contains("PERMISSION_DENIED", "WarmPool")
                            .doesNotContain("xxx", "count"));

            audit.recordRefusals();
            assertThat(Files.readAllLines(file)).hasSize(2);
            time.advance(Duration.ofMinutes(1));
            audit.recordRefusals();
            assertThat(Files.readAllLines(file)).hasSize(3).last().asString().contains("1000", "\"count\":9999");

            refused(audit, 1000, 5);
        }
        assertThat(Files.readAllLines(file))
                .as("what is left at the end")
                .hasSize(4)
                .last()
                .asString()
                .contains(":5}");
    }

    @Test
    void theFilesTogetherTakeNoMoreThanTheyMayAndTheOldestGoes() throws IOException {
        Path file = directory.resolve("audit.log");
        int most = 64 << 10;
        try (AuditLog audit = AuditLog.open(file, most, time)) {
            for (int i = 0; i < 3000; i++) {
                audit.record(new Peer(0, 1, 0), "", "CniAdd", "default/pod-" + i, "c", "", false, "OK");
            }
        }
        assertThat(directory)
                .isDirectoryContaining("glob:**/audit.log.3")
                .isDirectoryNotContaining("glob:**/audit.log.4");
        long bytes = 0;
        try (Stream<Path> files = Files.list(directory)) {
            for (Path each : files.toList()) {
                bytes += Files.size(each);
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
                        .isEqualTo("rw-------");
            }
        }
        assertThat(bytes).isBetween(most / 2L, (long) most);
        assertThat(Files.readAllLines(file)).last().asString().contains("default/pod-2999");
    }

    @Test
    void linesAfterTheFileWasRemovedAreInANewOne() throws IOException {
        Path file = directory.resolve("audit.log");
        try (AuditLog audit = AuditLog.open(file, 1 << 20, time)) {
            audit.record(new Peer(0, 1, 0), "", "CniAdd", "default/a", "c", "", false, "OK");
            Files.delete(file);
            audit.record(new Peer(0, 1, 0), "", "CniDel", "default/a", "c", "", false, "OK");
        }
        assertThat(Files.readAllLines(file)).singleElement().asString().contains("CniDel");
    }

    @Test
    void linesAfterTheFileWasCutByAnotherProgramBeginWhereItEnds() throws IOException {
        Path file = directory.resolve("audit.log");
        try (AuditLog audit = AuditLog.open(file, 1 << 20, time)) {
            audit.record(new Peer(0, 1, 0), "", "CniAdd", "default/a", "c", "", false, "OK");
            Files.write(file, new byte[0]);
            audit.record(new Peer(0, 1, 0), "", "CniDel", "default/a", "c", "", false, "OK");
        }
        assertThat(Files.readAllLines(file))
                .singleElement()
                .asString()
                .startsWith("{")
                .contains("CniDel");
    }

    @Test
    void aRotationThatCannotMakeTheNewFileCostsNoOlderOne() throws IOException {
        Path file = directory.resolve("audit.log");
        try (AuditLog audit = AuditLog.open(file, 4 << 10, time)) {
            // until the next line needs a rotation
            for (int i = 0; !Files.exists(directory.resolve("audit.log.3")) || Files.size(file) < 900; i++) {
                audit.record(new Peer(0, 1, 0), "", "CniAdd", "default/pod-" + i, "c", "", false, "OK");
            }
            String oldest = Files.readString(directory.resolve("audit.log.3"));
            Path elsewhere = directory.resolve("elsewhere");
            Files.move(file, elsewhere);
            Files.createSymbolicLink(file, directory.resolve("missing").resolve("x"));
            for (int i = 0; i < 50; i++) {
                audit.record(new Peer(0, 1, 0), "", "CniDel", "default/b", "c", "", false, "OK");
            }
            assertThat(directory.resolve("audit.log.3")).hasContent(oldest);
            Files.delete(file);
            audit.record(new Peer(0, 1, 0), "", "CniGc", "", "", "", false, "OK");
        }
        assertThat(Files.readAllLines(file)).last().asString().contains("CniGc");
    }
}
