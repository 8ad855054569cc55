package io.enipam.examples.cidr;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Resource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What others do to the files of the ledger, and what the factory makes of it. */
class AllocationStoreTest {
    @TempDir
    Path directory;

    private Path addresses;

    @BeforeEach
    void name() {
        addresses = directory.resolve("addresses");
    }

    @Test
    void aDamagedFileIsToldAndItsAddressKeptBack() throws IOException {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/30")) {
            Resource made = bench.make("t1");
            Files.writeString(addresses.resolve("10.64.0.2"), "cidr-factory 1\ntoken t1\n");
            assertThat(bench.listed()).isEmpty();
            assertThat(Diagnostics.rows(bench, "damage"))
                    .containsExactly("10.64.0.2 | 10.64.0.2 | it is not a file of this plugin, or not all of one");
            assertThat(bench.dispose(made)).isInstanceOf(Disposed.class);
            assertThat(bench.refused("t2", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
            assertThat(bench.factory.capabilities().capacity()).isZero();
            Files.delete(addresses.resolve("10.64.0.2"));
            assertThat(bench.listed()).isEmpty();
            assertThat(bench.make("t3").id()).hasToString("10.64.0.2");
        }
    }

    @Test
    void aForeignFileIsToldAndLeftAlone() throws IOException {
        Files.createDirectories(addresses.resolve("10.64.0.3"));
        Files.writeString(addresses.resolve("last_reserved_ip.0"), "10.64.0.9");
        Files.createSymbolicLink(addresses.resolve("10.64.0.4_fd00::4"), directory.resolve("elsewhere"));
        Files.write(addresses.resolve("10.64.0.5"), new byte[100_000]);
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            assertThat(bench.make("t1").id()).hasToString("10.64.0.2");
            assertThat(bench.make("t2").id()).hasToString("10.64.0.6");
            assertThat(bench.listed()).containsExactly("10.64.0.2", "10.64.0.6");
            assertThat(Diagnostics.rows(bench, "damage"))
                    .containsExactly(
                            "10.64.0.3 | 10.64.0.3 | it is not a file",
                            "10.64.0.4_fd00::4 | 10.64.0.4, fd00::4 | it is not a file",
                            "10.64.0.5 | 10.64.0.5 | it is longer than any allocation",
                            "last_reserved_ip.0 | - | it is not a file of this plugin, or not all of one");
        }
        assertThat(addresses.resolve("last_reserved_ip.0")).hasContent("10.64.0.9");
    }

    @Test
    void aCopyUnderAnotherNameIsNoAllocation() throws IOException {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            bench.make("t1");
            Files.copy(addresses.resolve("10.64.0.2"), addresses.resolve("10.64.0.5"));
            assertThat(bench.listed()).containsExactly("10.64.0.2");
            assertThat(Diagnostics.rows(bench, "damage"))
                    .containsExactly("10.64.0.5 | 10.64.0.5 | it is the file of 10.64.0.2 under another name");
        }
    }

    @Test
    void anAddressInTwoFilesIsListedOnceAndNeverGivenAgain() throws IOException {
        Path pair = directory.resolve("10.64.0.2_fd00::2");
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29", "fd00::/64")) {
            Resource made = bench.make("t1", CidrFactoryFixture.PAIR);
            Files.move(addresses.resolve(pair.getFileName()), pair);
            assertThat(bench.listed()).isEmpty();
            bench.dispose(made);
        }
        Files.delete(directory.resolve("last-ipv4"));
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29", "fd00::/64")) {
            Resource single = bench.make("t2");
            Files.move(pair, addresses.resolve(pair.getFileName()));
            assertThat(bench.listed()).containsExactly("10.64.0.2");
            assertThat(Diagnostics.rows(bench, "damage"))
                    .containsExactly("10.64.0.2_fd00::2 | 10.64.0.2, fd00::2 | 10.64.0.2 is in another file, too");
            bench.dispose(single);
            for (int i = 3; i <= 6; i++) {
                assertThat(bench.make("t" + i).id()).isNotEqualTo(single.id());
            }
            assertThat(bench.refused("t7", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
        }
    }

    @Test
    void aFileThatAppearsMeanwhileIsNeverOverwritten() throws IOException {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            Files.writeString(addresses.resolve("10.64.0.2"), "somebody's");
            assertThat(bench.make("t1").id()).hasToString("10.64.0.3");
        }
        assertThat(addresses.resolve("10.64.0.2")).hasContent("somebody's");
    }

    @Test
    void listReadsTheDiskAndNotTheMemory() throws IOException {
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/30")) {
            bench.make("t1");
            Path kept = directory.resolve("kept");
            Files.move(addresses.resolve("10.64.0.2"), kept, StandardCopyOption.ATOMIC_MOVE);
            assertThat(bench.listed()).isEmpty();
            Files.move(kept, addresses.resolve("10.64.0.2"), StandardCopyOption.ATOMIC_MOVE);
            assertThat(bench.listed()).containsExactly("10.64.0.2");
            assertThat(bench.refused("t2", CidrFactoryFixture.V4).kind()).isEqualTo(ErrorKind.ADDRESSES_EXHAUSTED);
            assertThat(bench.make("t1").id()).as("its token came back with it").hasToString("10.64.0.2");
        }
    }

    @Test
    void whatWasBeingWrittenWhenTheDaemonDiedIsNoAllocation() throws IOException {
        Files.createDirectories(addresses);
        Files.writeString(directory.resolve("writing"), "cidr-fac", StandardCharsets.US_ASCII);
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            assertThat(bench.listed()).isEmpty();
            assertThat(Diagnostics.rows(bench, "damage")).isEmpty();
            assertThat(directory.resolve("writing")).doesNotExist();
        }
    }

    @Test
    void aHintThatIsNonsenseIsNoHint() throws IOException {
        Files.writeString(directory.resolve("last-ipv4"), "fd00::1");
        try (CidrFactoryFixture bench = CidrFactoryFixture.open(directory, "10.64.0.0/29")) {
            assertThat(bench.make("t1").id()).hasToString("10.64.0.2");
        }
    }
}
