package io.enipam.store;

import static io.enipam.store.TestRecords.ROOMY;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.engine.model.Hold;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.PodRef;
import io.enipam.store.DatabaseTools.NodeName;
import io.enipam.store.DatabaseTools.RestoreRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A database with a record in every bucket, and the short ways to its tools. */
final class ToolsFixture {
    static final NodeName HERE = new NodeName("node-1", "i-1");

    private ToolsFixture() {}

    static JournaledResourceDb open(Path directory) {
        return JournaledResourceDb.open(directory, ROOMY, new LocalDisk());
    }

    /** Three leases, and one of everything else. */
    static JournaledResourceDb filled(Path directory) {
        JournaledResourceDb db = open(directory);
        for (int i = 1; i <= 3; i++) {
            TestRecords.commit(db, TestRecords.put(i));
        }
        TestRecords.commit(
                db,
                new Change.PutHold(TestRecords.hold(10)),
                new Change.PutHold(new Hold(
                        TestRecords.resource(11),
                        Hold.Purpose.COOLING,
                        new PodRef("default", "old-0"),
                        TestRecords.NOON,
                        Duration.ZERO)),
                new Change.PutIntent(TestRecords.intent(1)),
                new Change.PutOperation(operation(1)),
                new Change.PutPod(TestRecords.copy(1, Optional.empty())));
        return db;
    }

    static CloudJournal.Entry operation(int n) {
        return CloudJournal.Entry.of(new CloudOperation.Unassign("eni-a", List.of("10.0.9." + n)), TestRecords.NOON, n);
    }

    static String export(JournaledResourceDb db) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Iterator<byte[]> lines = db.tools().export(HERE);
        lines.forEachRemaining(out::writeBytes);
        return out.toString(UTF_8);
    }

    static Path exported(JournaledResourceDb db, Path file) {
        return written(file, export(db));
    }

    static Path written(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A request that gives nothing up. */
    static RestoreRequest careful(Path file) {
        return new RestoreRequest(file, file.toString(), HERE, false, Set.of(), false, false);
    }

    static RestoreRequest dryRun(Path file) {
        return new RestoreRequest(file, file.toString(), HERE, true, Set.of(), false, false);
    }

    /** A request that gives up whatever is in the way. */
    static RestoreRequest determined(Path file) {
        return new RestoreRequest(file, file.toString(), HERE, false, Set.of(), true, true);
    }
}
