package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.v1.BackupDbRequest;
import io.enipam.v1.DbImport;
import io.enipam.v1.DumpDbRequest;
import io.enipam.v1.ImportDbRequest;
import io.enipam.v1.RestoreDbRequest;
import io.enipam.v1.VerifyDbRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tools of the database: what they ask, what they send, and where they write. */
class DbToolsTest extends AttachedShell {
    @Test
    void theConditionsOfADumpGoToTheDaemon() {
        run("db dump --bucket leases --pod default/web-0 --ip 10.0.1.3");

        assertThat(received(DumpDbRequest.class))
                .containsExactly(DumpDbRequest.newBuilder()
                        .setBucket("leases")
                        .setPod("default/web-0")
                        .setIp("10.0.1.3")
                        .build());
        assertThat(run("db dump --bucket operations").out()).isEqualTo("no such records\n");
        assertThat(run("db dump --pod nobody").err()).contains("did you mean 'default/nobody'?");
    }

    @Test
    void aDatabaseWithProblemsIsShownAndTheCommandFails() {
        daemon.answer(VerifyDbRequest.class, CannedDb.damaged());

        TestShell.Result result = run("db verify");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out())
                .contains("journal  /var/lib/enipam/db/journal-7.log  4096    the content of commit 8 was changed")
                .contains("leases   leases/enipam/sim-3/eth0")
                .endsWith("not sound up to commit 812, in 41 ms\n")
                .doesNotContain("\u001b");
        assertThat(result.err())
                .isEqualTo("enipam: db verify: the database has 2 problems. Take a backup and keep a copy of its"
                        + " directory before anything else\n");
        assertThat(run("db verify -o json").status()).isEqualTo(1);
    }

    @Test
    void aPathIsMadeAbsoluteBeforeTheDaemonSeesIt() {
        run("db backup here.jsonl; db backup here.jsonl --yes");

        assertThat(received(BackupDbRequest.class))
                .allMatch(request -> Path.of(request.getPath()).isAbsolute());
        assertThat(received(BackupDbRequest.class))
                .extracting(BackupDbRequest::getReplace)
                .containsExactly(false, true);
    }

    @Test
    void anExportGoesToStandardOutputAsItIs() {
        assertThat(run("db export").out()).isEqualTo(CannedDb.FIRST + CannedDb.LAST);
    }

    @Test
    void anExportToAFileIsWholeAndForItsOwnerAlone() throws IOException {
        Path file = directory.resolve("e.jsonl");

        assertThat(run("db export " + file).out()).isEqualTo("exported to " + file + ": 74 bytes\n");
        assertThat(file).hasContent(CannedDb.FIRST + CannedDb.LAST);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");

        Files.writeString(file, "precious");
        assertThat(run("db export " + file).err())
                .isEqualTo("enipam: db export failed: cannot write " + file
                        + ": it exists. Name another file, or replace it with --yes\n");
        assertThat(file).hasContent("precious");
        assertThat(run("db export " + file + " --yes").status()).isZero();
        assertThat(file).hasContent(CannedDb.FIRST + CannedDb.LAST);

        assertThat(run("db export " + directory).err()).contains("it is a directory");
        assertThat(run("db export " + directory.resolve("no/e")).err()).contains("its directory does not exist");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).noneMatch(path -> path.toString().endsWith(".unfinished"));
        }
    }

    @Test
    void anExportThatBreaksOffLeavesNoFile() throws IOException {
        daemon.fail(io.enipam.v1.ExportDbRequest.class, io.grpc.Status.INTERNAL.withDescription("broken"));
        Path file = directory.resolve("e.jsonl");

        assertThat(run("db export " + file).status()).isEqualTo(1);

        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.filter(path -> path.toString().contains("e.jsonl"))).isEmpty();
        }
    }

    @Test
    void aRestoreIsNotBegunUnasked() {
        TestShell.Result result = run("db restore /b");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("db restore failed: it has to be confirmed")
                .endsWith("Add --yes\n");
        assertThat(received(RestoreDbRequest.class))
                .allSatisfy(request -> assertThat(request.getDryRun()).isTrue());
    }

    @Test
    void aFileThatIsNotThereIsToldBeforeAnybodyWouldBeAsked() {
        assertThat(run("db import nosuch").err())
                .contains("there is no file nosuch")
                .doesNotContain("confirmed");
        refuse(RestoreDbRequest.class, "NOT_FOUND", "/nosuch does not exist", "");
        assertThat(run("db restore /nosuch").err())
                .contains("/nosuch does not exist")
                .doesNotContain("confirmed");
    }

    @Test
    void theQuestionNamesTheLeasesAndWhatIsAgreedToIsWhatWasShown() {
        TestShell.Result no = asked("n", "db", "restore", "/b");
        assertThat(no.err())
                .isEqualTo("Replace the database by 40 records of /b? 1 lease in force is lost: default/web-9"
                        + " (10.0.1.12/24). [y/N] ");
        assertThat(no.out()).isEqualTo("nothing was changed\n");
        assertThat(received(RestoreDbRequest.class))
                .extracting(RestoreDbRequest::getDryRun)
                .containsExactly(true);

        TestShell.Result yes = asked("y", "db", "restore", "/b");
        assertThat(yes.status()).isZero();
        assertThat(yes.out())
                .startsWith("restoring 40 records from /b: a backup of commit 812, 3m old\n")
                .endsWith("the daemon is up again, on the restored database\n");
        RestoreDbRequest done = received(RestoreDbRequest.class).get(2);
        assertThat(done.getDryRun()).isFalse();
        assertThat(done.getConsent().getMayLoseAny()).isFalse();
        assertThat(done.getConsent().getMayLoseList()).hasSize(1);
    }

    @Test
    void yesGivesUpWhateverIsInTheWayButNotTheNode() {
        run("db restore /b --yes; db restore /b --yes --other-node");

        assertThat(received(RestoreDbRequest.class))
                .allMatch(request -> request.getConsent().getMayLoseAny());
        assertThat(received(RestoreDbRequest.class))
                .extracting(request -> request.getConsent().getOtherNode())
                .containsExactly(false, true);
    }

    @Test
    void aRestoreThatTheDaemonDidNotTakeWhenItCameUpIsNoSuccess() {
        daemon.happened(
                CannedReplies.event(3, "ERROR", "the restore from /b was not taken: its checksum is wrong").toBuilder()
                        .setType("RestoreNotTaken")
                        .build());

        TestShell.Result result = run("db restore /b --yes");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).doesNotContain("on the restored database");
        assertThat(result.err())
                .contains(
                        "db restore failed: the restore from /b was not taken: its checksum is wrong (RestoreNotTaken)");
    }

    @Test
    void theDaemonsRefusalIsOneLine() {
        refuse(
                RestoreDbRequest.class,
                "INVALID_ARGUMENT",
                "/b cannot be taken: it is a directory",
                "name a file that 'db backup' or 'db export' wrote");

        assertThat(run("db restore /b --dry-run").err())
                .isEqualTo("enipam: db restore failed: /b cannot be taken: it is a directory (INVALID_ARGUMENT)."
                        + " Name a file that 'db backup' or 'db export' wrote\n");
    }

    @Test
    void aFileIsImportedInBoundedPartsThatAddUpToIt() throws IOException {
        byte[] bytes = new byte[300_000];
        new Random(3).nextBytes(bytes);
        Path file = Files.write(directory.resolve("e"), bytes);

        TestShell.Result result = run("db import " + file + " --yes");

        assertThat(result.status()).isZero();
        List<ImportDbRequest> parts = received(ImportDbRequest.class);
        assertThat(parts.get(0).getImport().getName()).isEqualTo(file.toString());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (ImportDbRequest part : parts.subList(1, parts.size())) {
            assertThat(part.getData().size()).isLessThanOrEqualTo(1 << 16);
            all.writeBytes(part.getData().toByteArray());
        }
        assertThat(all.toByteArray()).isEqualTo(bytes);
    }

    @Test
    void whatCannotBeImportedIsToldBeforeAnythingIsSent() {
        assertThat(run("db import " + directory.resolve("none") + " --yes").err())
                .isEqualTo("enipam: db import failed: there is no file " + directory.resolve("none")
                        + ". Name a file that 'db export' wrote\n");
        assertThat(run("db import " + directory + " --yes").err()).contains("is no plain file");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void aRefusedImportSaysWhy() throws IOException {
        Path file = Files.writeString(directory.resolve("e"), "junk");
        refuse(DbImport.class, "INVALID_ARGUMENT", "no", "");

        assertThat(run("db import " + file + " --dry-run").err())
                .isEqualTo("enipam: db import failed: no (INVALID_ARGUMENT)\n");
    }
}
