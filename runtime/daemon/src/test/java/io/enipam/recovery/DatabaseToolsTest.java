package io.enipam.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.engine.testing.TestThreads;
import io.enipam.v1.BackupDbReply;
import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.CompactDbRequest;
import io.enipam.v1.ControlGrpc;
import io.enipam.v1.DbCheck;
import io.enipam.v1.DbConsent;
import io.enipam.v1.DbImport;
import io.enipam.v1.DbRecord;
import io.enipam.v1.DbRestore;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ExportDbRequest;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.ImportDbReply;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.VerifyDbReply;
import io.enipam.v1.VerifyDbRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools of the database over the socket of a whole daemon, with its real database and engine. */
class DatabaseToolsTest {
    @TempDir
    Path directory;

    private Path root;

    @AutoClose
    private LivingDaemon daemon;

    @BeforeEach
    void start() {
        root = directory.resolve("root");
        daemon = LivingDaemon.onTheEmulator(root);
    }

    private String add(String pod) {
        return daemon.client().add(pod).getResource().getAddresses(0);
    }

    private void del(String pod) {
        daemon.client().del(pod);
    }

    private List<String> pods() {
        List<String> pods = new ArrayList<>();
        daemon.client()
                .inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> reply.getLeasesList().forEach(lease -> pods.add(lease.getPod())));
        return pods;
    }

    private VerifyDbReply verify() {
        return daemon.client().inspect().verifyDb(VerifyDbRequest.getDefaultInstance());
    }

    private BackupDbReply backup(Path file) {
        return daemon.client()
                .control()
                .backupDb(BackupDbRequest.newBuilder().setPath(file.toString()).build());
    }

    private DbRestore restore(Path file, boolean dryRun, DbConsent consent) {
        return daemon.client()
                .control()
                .restoreDb(RestoreDbRequest.newBuilder()
                        .setPath(file.toString())
                        .setDryRun(dryRun)
                        .setConsent(consent)
                        .build())
                .getRestore();
    }

    private String export() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        daemon.client()
                .inspect()
                .exportDb(ExportDbRequest.getDefaultInstance())
                .forEachRemaining(part -> all.writeBytes(part.getData().toByteArray()));
        return all.toString(UTF_8);
    }

    /** The daemon has closed, as it does after a restore; the process that it is in would start the next one. */
    private void startAnew() {
        await().atMost(Duration.ofSeconds(30)).until(() -> !Files.exists(root.resolve("run/enipam.sock")));
        daemon.close();
        daemon = LivingDaemon.onTheEmulator(root);
    }

    @Test
    void aDatabaseUnderLoadIsSoundAndAgreesWithThePool() {
        AtomicBoolean enough = new AtomicBoolean();
        List<CompletableFuture<Void>> load = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            String name = "default/load-" + t;
            load.add(CompletableFuture.runAsync(
                    () -> {
                        while (!enough.get()) {
                            add(name);
                            del(name);
                        }
                    },
                    TestThreads.PER_TASK));
        }
        try {
            for (int i = 0; i < 5; i++) {
                VerifyDbReply found = verify();
                assertThat(found.getProblemsList()).isEmpty();
                assertThat(found.getSound()).isTrue();
                assertThat(found.getChecksList())
                        .extracting(DbCheck::getName)
                        .containsExactly(
                                "checkpoints", "journal", "replay", "records", "leases", "holds", "operations");
            }
        } finally {
            enough.set(true);
        }
        load.forEach(CompletableFuture::join);
    }

    @Test
    void damageIsToldWithItsFile() throws IOException {
        add("default/a");
        Path journal;
        try (Stream<Path> files = Files.list(root.resolve("lib/db"))) {
            journal = files.filter(file -> file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(journal);
        bytes[4096 + 40] ^= 1;
        Files.write(journal, bytes);

        VerifyDbReply found = verify();

        assertThat(found.getSound()).isFalse();
        assertThat(found.getProblems(0).getWhere()).isEqualTo(journal.toString());
        assertThat(found.getProblems(0).getOffset()).isEqualTo(4096);
        bytes[4096 + 40] ^= 1;
        Files.write(journal, bytes);
    }

    @Test
    void aRestoreThatWouldLoseALeaseIsRefusedUntilThatIsAgreedTo() {
        Path file = directory.resolve("b");
        add("default/a");
        assertThat(backup(file).getRecords()).isPositive();
        add("default/late");

        DbRestore plan = restore(file, true, DbConsent.getDefaultInstance());
        assertThat(plan.getLostLeasesList())
                .singleElement()
                .satisfies(lost -> assertThat(lost.getLease().getPod()).isEqualTo("default/late"));
        assertThat(plan.hasStagedAt()).isFalse();
        assertThatThrownBy(() -> restore(file, false, DbConsent.getDefaultInstance()))
                .hasMessageContaining("1 lease in force would be lost: default/late");
        assertThat(pods()).containsExactlyInAnyOrder("default/a", "default/late");

        DbRestore done =
                restore(file, false, DbConsent.newBuilder().setMayLoseAny(true).build());
        assertThat(done.hasStagedAt()).isTrue();
        startAnew();

        assertThat(pods()).contains("default/a");
        assertThat(keptBefore()).hasSize(1);
        assertThat(daemon.client().events()).anyMatch(event -> event.getType().equals("DatabaseRestored"));
        assertThat(verify().getSound()).isTrue();
    }

    private List<Path> keptBefore() {
        try (Stream<Path> files = Files.list(root.resolve("lib"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("db.before-restore-"))
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void anExportThatIsImportedGivesTheSameLeasesAndTheSameExport() throws Exception {
        add("default/a");
        add("default/b");
        String before = export();
        assertThat(before.lines().findFirst().orElseThrow()).contains("\"kind\":\"export\"");
        del("default/b");

        DbRestore done = importing(wish(false), before.getBytes(UTF_8)).getRestore();
        assertThat(done.getReturningLeases()).isEqualTo(1);
        assertThat(done.getKeptLeases()).isEqualTo(1);
        startAnew();

        assertThat(pods()).containsExactlyInAnyOrder("default/a", "default/b");
        assertThat(leaseLines(export())).isEqualTo(leaseLines(before)).hasSize(2);
        assertThat(root.resolve("lib/received")).isEmptyDirectory();
    }

    private static List<String> leaseLines(String export) {
        return export.lines()
                .filter(line -> line.startsWith("{\"bucket\":\"leases\""))
                .toList();
    }

    private static ImportDbRequest wish(boolean dryRun) {
        return ImportDbRequest.newBuilder()
                .setImport(DbImport.newBuilder().setName("export.jsonl").setDryRun(dryRun))
                .build();
    }

    private static ImportDbRequest part(byte[] data) {
        return ImportDbRequest.newBuilder().setData(ByteString.copyFrom(data)).build();
    }

    private ImportDbReply importing(ImportDbRequest first, byte[] data) throws Exception {
        return sent(List.of(first, part(data)));
    }

    private ImportDbReply sent(List<ImportDbRequest> parts) throws Exception {
        CompletableFuture<ImportDbReply> reply = new CompletableFuture<>();
        StreamObserver<ImportDbRequest> to = ControlGrpc.newStub(daemon.client().channel())
                .importDb(new StreamObserver<>() {
                    @Override
                    public void onNext(ImportDbReply message) {
                        reply.complete(message);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        reply.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        // the reply has come before
                    }
                });
        parts.forEach(to::onNext);
        to.onCompleted();
        return reply.get(30, TimeUnit.SECONDS);
    }

    @Test
    void whatIsNoImportIsRefusedAndLeavesNothingBehind() throws IOException {
        refused(List.of(), "nothing was sent");
        refused(List.of(part(new byte[10])), "an import begins with what is wanted");
        refused(List.of(wish(false), wish(false)), "an import has one beginning");
        refused(List.of(wish(false), part(new byte[(1 << 16) + 1])), "more than 65536 bytes");
        refused(List.of(wish(false)), "export.jsonl cannot be taken: it is empty");
        refused(List.of(wish(false), part("junk\n".getBytes(UTF_8))), "neither a backup nor an export");
        String cut = export();
        refused(
                List.of(wish(false), part(cut.substring(0, cut.length() - 20).getBytes(UTF_8))),
                "export.jsonl cannot be taken");
        assertThat(root.resolve("lib/received")).isEmptyDirectory();
        assertThat(Files.readString(root.resolve("lib/audit.log")))
                .contains("\"command\":\"ImportDb\"", "\"name\":\"export.jsonl\"", "\"outcome\":\"INVALID_ARGUMENT\"");
    }

    private void refused(List<ImportDbRequest> parts, String why) {
        assertThatThrownBy(() -> sent(parts))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .hasMessageContaining(why);
    }

    @Test
    void aCallerWhoGoesAwayInTheMiddleOfAnImportLeavesNothingBehindAndTheNextMayCome() throws Exception {
        StreamObserver<ImportDbRequest> to = ControlGrpc.newStub(daemon.client().channel())
                .importDb(new StreamObserver<>() {
                    @Override
                    public void onNext(ImportDbReply message) {
                        // there is none
                    }

                    @Override
                    public void onError(Throwable failure) {
                        // its own
                    }

                    @Override
                    public void onCompleted() {
                        // there is no end
                    }
                });
        to.onNext(wish(false));
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (Stream<Path> files = Files.list(root.resolve("lib/received"))) {
                return files.count() == 1;
            }
        });
        to.onError(Status.CANCELLED.asRuntimeException());

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(root.resolve("lib/received")).isEmptyDirectory());
        assertThat(importing(wish(true), export().getBytes(UTF_8)).getRestore().getDryRun())
                .isTrue();
    }

    @Test
    void whatIsDoneToTheDatabaseIsInTheAuditLog() throws IOException {
        Path file = directory.resolve("b");
        backup(file);
        restore(file, true, DbConsent.getDefaultInstance());
        daemon.client().control().compactDb(CompactDbRequest.getDefaultInstance());
        assertThatThrownBy(() -> backup(file)).isInstanceOf(StatusRuntimeException.class);
        assertThatThrownBy(() -> backup(Path.of("relative"))).hasMessageContaining("no absolute path");

        assertThat(Files.readAllLines(root.resolve("lib/audit.log")))
                .anyMatch(line -> line.contains("\"command\":\"BackupDb\"")
                        && line.contains("\"name\":\"" + file + "\"")
                        && line.contains("\"outcome\":\"OK\""))
                .anyMatch(line -> line.contains("\"command\":\"RestoreDb\"") && line.contains("\"dryRun\":true"))
                .anyMatch(line -> line.contains("\"command\":\"CompactDb\""))
                .anyMatch(line ->
                        line.contains("\"command\":\"BackupDb\"") && line.contains("\"outcome\":\"INVALID_ARGUMENT\""));
    }

    @Test
    void theDaemonsLocksOutliveARequestToRestoreThem() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("harmless"), root.resolve("run/enipamd.lock"));
        for (Path lock : List.of(root.resolve("run/enipamd.lock"), root.resolve("lib/db/lock"), link)) {
            assertThatThrownBy(() -> restore(lock, true, DbConsent.getDefaultInstance()))
                    .isInstanceOf(StatusRuntimeException.class)
                    .hasMessageContaining("cannot be taken: it is in ");
            if (Files.isReadable(Path.of("/proc/locks"))) {
                Object inode = Files.getAttribute(lock, "unix:ino");
                assertThat(Files.readAllLines(Path.of("/proc/locks")))
                        .as("lock of %s", lock)
                        .anyMatch(line -> line.contains("POSIX") && line.contains(":" + inode + " "));
            }
        }
    }

    @Test
    void aDumpIsFilteredByBucketPodAndAddress() {
        String address = add("default/a").split("/")[0];
        add("default/b");

        assertThat(dump(DumpDbRequest.newBuilder().setPod("default/a"))).hasSizeGreaterThanOrEqualTo(1);
        assertThat(dump(DumpDbRequest.newBuilder().setPod("default/a").setBucket("leases")))
                .singleElement()
                .satisfies(record -> assertThat(record.getValue()).contains("\"pod\":\"default/a\""));
        assertThat(dump(DumpDbRequest.newBuilder().setIp(address).setBucket("leases")))
                .singleElement()
                .satisfies(record -> assertThat(record.getValue()).contains(address));
        assertThat(dump(DumpDbRequest.newBuilder()
                        .setIp(address)
                        .setPod("default/b")
                        .setBucket("leases")))
                .isEmpty();
        assertThatThrownBy(() -> dump(DumpDbRequest.newBuilder().setIp("nowhere")))
                .hasMessageContaining("not an IP address: 'nowhere'");
        assertThat(dump(DumpDbRequest.newBuilder().setBucket("meta")))
                .extracting(DbRecord::getKey)
                .contains("database");
        // intents and operations end by themselves between the two looks
        for (DbRecord record : dump(DumpDbRequest.newBuilder()).stream()
                .filter(record -> Set.of("leases", "pods", "meta").contains(record.getBucket()))
                .toList()) {
            assertThat(daemon.client()
                            .inspect()
                            .getDbRecord(GetDbRecordRequest.newBuilder()
                                    .setKey(record.getBucket() + "/" + record.getKey())
                                    .build())
                            .getRecord()
                            .getBucket())
                    .isEqualTo(record.getBucket());
        }
    }

    private List<DbRecord> dump(DumpDbRequest.Builder request) {
        List<DbRecord> records = new ArrayList<>();
        daemon.client()
                .inspect()
                .dumpDb(request.build())
                .forEachRemaining(reply -> records.addAll(reply.getRecordsList()));
        return records;
    }
}
