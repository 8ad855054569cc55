package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.store.BackupFile.DatabaseFileLines;
import io.enipam.store.DatabaseFileReader.DatabaseFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that nobody should restore. Every refusal is one line that says why, and what to do. */
class DatabaseFileReaderTest {
    @TempDir
    Path temp;

    private Path file;
    private String good;

    @BeforeEach
    void write() throws IOException {
        file = temp.resolve("backup");
        try (JournaledResourceDb db = ToolsFixture.filled(temp.resolve("db"))) {
            db.tools().backup(file, ToolsFixture.HERE, false);
        }
        good = Files.readString(file);
    }

    @Test
    void aGoodOneIsRead() {
        assertThat(DatabaseFileReader.read(file, "f", TestRecords.NOON)
                        .snapshot()
                        .count())
                .isEqualTo(8);
    }

    @Test
    void everyFlippedBitIsNoticed() throws IOException {
        byte[] bytes = good.getBytes(UTF_8);
        Random random = new Random(7);
        for (int i = 0; i < 400; i++) {
            int bit = random.nextInt(bytes.length * 8);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, bytes);
            assertThatThrownBy(() -> DatabaseFileReader.read(file, "f", TestRecords.NOON))
                    .as("bit %d", bit)
                    .isInstanceOf(DatabaseFileException.class)
                    .message()
                    .hasLineCount(1);
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
        }
    }

    @Test
    void everyLengthButTheWholeIsNoticed() throws IOException {
        byte[] bytes = good.getBytes(UTF_8);
        // the line end of the last line is no content
        for (int length = 0; length < bytes.length - 1; length += length < bytes.length - 120 ? 37 : 1) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> DatabaseFileReader.read(file, "f", TestRecords.NOON))
                    .as("%d bytes", length)
                    .isInstanceOf(DatabaseFileException.class);
        }
    }

    @Test
    void whatIsNoFileOfOursIsToldFromABrokenOne() throws Exception {
        refused(temp, "it is a directory");
        refused(temp.resolve("nothing"), "there is no such file");
        refused(ToolsFixture.written(temp.resolve("empty"), ""), "it is empty");
        refused(ToolsFixture.written(temp.resolve("text"), "Dear diary,\n"), "neither a backup nor an export");
        refused(ToolsFixture.written(temp.resolve("json"), "{\"a\":1}\n"), "neither a backup nor an export");
        refused(ToolsFixture.written(temp.resolve("line"), "x".repeat(3 << 20)), "neither a backup nor an export");
        Path binary = Files.write(temp.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 10});
        refused(binary, "neither a backup nor an export");

        Path pipe = temp.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        refused(pipe, "it is no plain file");
        refused(Path.of("/dev/zero"), "it is no plain file");

        Path huge = temp.resolve("huge");
        try (RandomAccessFile hole = new RandomAccessFile(huge.toFile(), "rw")) {
            hole.setLength(DatabaseFileReader.MOST_BYTES + 1);
        }
        refused(huge, "a database of a node has at most");
    }

    @Test
    void aFileThatSomebodyElseCouldHaveWrittenIsRefused() throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        refused(file, "everybody may write it");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assumeTrue(Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root gives files away");
        Files.setAttribute(file, "unix:uid", 12345);
        refused(file, "it belongs to the user with uid 12345");
    }

    @Test
    void aFileOfANewerProgramIsLeftToThatProgram() {
        refused(resealed(good.replace("\"format\":3", "\"format\":4")), "it has format 4, this enipamd knows up to 3");
        refused(resealed(good.replaceFirst("\"record\":\\{\"v\":1", "\"record\":{\"v\":9")), "has version 9");
    }

    @Test
    void recordsThatContradictEachOtherAreRefused() {
        String lease = good.lines().skip(1).findFirst().orElseThrow();
        refused(resealed(good.replace(lease, lease + "\n" + lease)), "there are two records of this key");
        refused(
                resealed(good.replace("10.0.0.2/16", "10.0.0.1/16")),
                "its address 10.0.0.1 is that of leases/cbr0/sandbox-1/eth0");
        refused(
                resealed(good.replace("\"key\":\"cbr0/sandbox-1/eth0\"", "\"key\":\"cbr0/sandbox-0/eth0\"")),
                "its content belongs to leases/cbr0/sandbox-1/eth0");
        refused(resealed(good.replace("\"bucket\":\"pods\"", "\"bucket\":\"meta\"")), "there is no bucket 'meta'");
        refused(
                resealed(good.replace("\"bucket\":\"pods\"", "\"bucket\":\"\\u001b[2J\"")),
                "there is no bucket '?[2J'");
        refused(resealed(good.replace("10.0.0.3/16", "ten/16")), "is not readable");
    }

    @Test
    void anExportThatWasEditedIsTakenWithoutItsChecksumAlone() {
        String export = good.replaceFirst("\"kind\":\"backup\"(.*),\"taken.*}", "\"kind\":\"export\"$1}");
        Path edited = ToolsFixture.written(temp.resolve("e"), export);
        assertThatThrownBy(() -> DatabaseFileReader.read(edited, "f", TestRecords.NOON))
                .isInstanceOfSatisfying(
                        DatabaseFileException.class,
                        e -> assertThat(e.hint()).contains("take \"sha256\" out of the last line"));

        Path admitted = ToolsFixture.written(temp.resolve("e"), export.replaceFirst(",\"sha256\":\"[0-9a-f]*\"", ""));
        assertThat(DatabaseFileReader.read(admitted, "f", TestRecords.NOON)
                        .snapshot()
                        .count())
                .isEqualTo(8);
        Path backup = ToolsFixture.written(temp.resolve("e"), good.replaceFirst(",\"sha256\":\"[0-9a-f]*\"", ""));
        refused(backup, "was changed");
    }

    private void refused(Path path, String why) {
        assertThatThrownBy(() -> DatabaseFileReader.read(path, "FILE", TestRecords.NOON))
                .isInstanceOfSatisfying(
                        DatabaseFileException.class, e -> assertThat(e.hint()).isNotEmpty())
                .hasMessageStartingWith("FILE cannot be taken: ")
                .hasMessageContaining(why)
                .message()
                .hasLineCount(1);
    }

    /** The same text with a last line that fits it: what somebody with a plan would write. */
    private Path resealed(String text) {
        String body = text.substring(0, text.lastIndexOf("{\"end\""));
        String sum = HexFormat.of().formatHex(DatabaseFileLines.sha256().digest(body.getBytes(UTF_8)));
        long records = body.lines().count() - 1;
        return ToolsFixture.written(
                temp.resolve("resealed"),
                body + "{\"end\":true,\"records\":" + records + ",\"sha256\":\"" + sum + "\"}\n");
    }

    @Test
    void aResourceWithTwoHoldsIsRefusedSinceNoStartCouldAdoptBoth() {
        String reserved = good.lines()
                .filter(line -> line.contains("\"RESERVED\""))
                .findFirst()
                .orElseThrow();
        String cooling = good.lines()
                .filter(line -> line.contains("\"COOLING\""))
                .findFirst()
                .orElseThrow();
        String twin = reserved.replace("\"RESERVED\"", "\"COOLING\"").replace("reservations", "quarantine");
        refused(
                resealed(good.replace(cooling, twin + "\n" + cooling)),
                "record quarantine//eni-a/10.0.0.10 cannot be taken: its resource eni-a/10.0.0.10 has another hold,"
                        + " reservations//eni-a/10.0.0.10");
    }

    @Test
    void nothingIsHeldUntilTheEndOfTime() {
        String until = TestRecords.hold(10).until().toString();
        refused(resealed(good.replace(until, "9999-12-31T00:00:00Z")), "more than 366 days from now");
        refused(resealed(good.replace(until, "+1000000000-12-31T23:59:59Z")), "more than 366 days from now");
        refused(resealed(good.replaceFirst("\"stick\":\"PT5M\"", "\"stick\":\"PT99999999999H\"")), "would be kept for");
    }

    @Test
    void aRecordThatLeadsTheDecodingAstrayIsToldByItsName() {
        String lease = good.lines().skip(1).findFirst().orElseThrow();
        String astray = lease.replaceFirst("\"addresses\":\\[[^]]*]", "\"addresses\":[null]");
        assertThat(astray).isNotEqualTo(lease);
        refused(
                resealed(good.replace(lease, astray)),
                "record leases/cbr0/sandbox-1/eth0 cannot be taken: record leases/cbr0/sandbox-1/eth0 is not readable");
    }

    @Test
    void aRecordOfMegabytesIsRefusedAndUnknownFieldsAreNotKept() {
        String lease = good.lines().skip(1).findFirst().orElseThrow();
        String big = lease.replaceFirst("\"v\":1", "\"v\":1,\"ballast\":\"" + "x".repeat(1 << 16) + "\"");
        refused(resealed(good.replace(lease, big)), "its line 2 is wrong: it has more than 65536 bytes");

        String odd = lease.replaceFirst("\"v\":1", "\"v\":1,\"ballast\":\"x\"");
        DatabaseFile read = DatabaseFileReader.read(resealed(good.replace(lease, odd)), "f", TestRecords.NOON);
        assertThat(read.snapshot().of(Bucket.LEASES))
                .extracting(record -> new String(record.getValue(), UTF_8))
                .hasSize(3)
                .noneMatch(text -> text.contains("ballast"))
                .allMatch(good::contains);
    }
}
