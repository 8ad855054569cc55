package io.enipam.sdk.ranges;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AddressDirectoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Ip TWO = Ip.parse("10.1.2.2");
    private static final Ip THREE = Ip.parse("10.1.2.3");
    private static final String OWNER = "c1\r\neth0";

    @TempDir
    Path data;

    private Path network;

    @AutoClose
    private AddressDirectory directory;

    @BeforeEach
    void open() {
        network = data.resolve("networks/mynet");
        directory = new AddressDirectory(network);
    }

    private boolean take(Ip ip, String owner) throws IOException {
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            return session.take(ip, owner);
        }
    }

    private boolean remove(Ip ip) throws IOException {
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            return session.remove(ip);
        }
    }

    private List<Ip> having(String owner) throws IOException {
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            return session.having(owner);
        }
    }

    private String used() throws IOException {
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            return session.used().toString();
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(network)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void aTakenAddressHasACompleteFileAndNothingElseIsLeft() throws IOException {
        assertThat(take(TWO, OWNER)).isTrue();
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            session.setLast(0, TWO);
        }
        assertThat(names()).containsExactly("10.1.2.2", "last_reserved_ip.0", "lock");
        assertThat(network.resolve("10.1.2.2")).hasContent(OWNER);
        assertThat(network.resolve("last_reserved_ip.0")).hasContent("10.1.2.2");
        assertThat(directory.files().last(0)).contains(TWO);
        assertThat(take(TWO, "c2\r\neth0")).isFalse();
        assertThat(having(OWNER)).containsExactly(TWO);
        assertThat(remove(TWO)).isTrue();
        assertThat(remove(TWO)).isFalse();
        assertThat(used()).isEmpty();
    }

    @Test
    void whatOthersAddAndRemoveIsSeenAtOnceHoweverQuicklyItFollows() throws IOException {
        for (int round = 0; round < 200; round++) {
            String owner = "c" + round;
            assertThat(take(TWO, owner)).isTrue();
            Files.delete(network.resolve("10.1.2.2"));
            Files.writeString(network.resolve("10.1.2.3"), owner);
            assertThat(having(owner)).containsExactly(THREE);
            Files.delete(network.resolve("10.1.2.3"));
            assertThat(used()).isEmpty();
        }
    }

    @Test
    void aNameThatWasRemovedAndMadeAgainHasItsNewOwner() throws IOException {
        take(TWO, OWNER);
        Files.delete(network.resolve("10.1.2.2"));
        Files.writeString(network.resolve("10.1.2.2"), "c2\r\neth0");
        assertThat(having(OWNER)).isEmpty();
        assertThat(having("c2\r\neth0")).containsExactly(TWO);
    }

    @Test
    void anEmptyFileIsFreeAndIsReplacedWhateverElseHasTheNameIsTaken() throws IOException {
        Files.createDirectories(network);
        Files.createFile(network.resolve("10.1.2.2"));
        Files.createDirectory(network.resolve("10.1.2.3"));
        Files.createSymbolicLink(network.resolve("10.1.2.4"), Path.of("nowhere"));
        Files.writeString(network.resolve("10.1.2.5"), "old-id");
        Files.writeString(network.resolve("notes"), "none");
        assertThat(used()).isEqualTo("10.1.2.3-10.1.2.5");
        assertThat(take(TWO, OWNER)).isTrue();
        assertThat(take(THREE, OWNER)).isFalse();
        assertThat(take(Ip.parse("10.1.2.4"), OWNER)).isFalse();
        assertThat(having("old-id")).containsExactly(Ip.parse("10.1.2.5"));
    }

    @Test
    void whatACrashLeftOfAWriteIsRemoved() throws IOException {
        Files.createDirectories(network);
        Files.writeString(network.resolve(".enipam-10.1.2.2"), "c1\r");
        assertThat(take(THREE, OWNER)).isTrue();
        assertThat(names()).containsExactly("10.1.2.3", "lock");
    }

    @Test
    void aLastAddressThatIsNoneIsIgnored() throws IOException {
        Files.createDirectories(network);
        for (String text : List.of("garbage", "10.1.2.7\n", "")) {
            Files.writeString(network.resolve("last_reserved_ip.1"), text);
            assertThat(directory.files().last(1)).as(text).isEqualTo(Optional.empty());
        }
    }

    @Test
    void theLockIsTheOneOfFlock() throws Exception {
        String lock = network.resolve("lock").toString();
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            assertThat(run("flock", "-n", lock, "true")).isEqualTo(1);
            assertThat(session.used().isEmpty()).isTrue();
        }
        assertThat(run("flock", "-n", lock, "true")).isZero();
        Process other = new ProcessBuilder("flock", "-F", lock, "cat").start();
        try {
            other.getOutputStream().write('x');
            other.getOutputStream().flush();
            assertThat(other.getInputStream().read()).isEqualTo('x');
            assertThatThrownBy(() -> directory.open(Duration.ofSeconds(1)))
                    .hasMessageContaining(
                            "is locked by another for more than 1s; 'fuser -v " + lock + "' says by whom");
        } finally {
            other.destroy();
        }
        assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(take(TWO, OWNER)).isTrue();
    }

    @Test
    void aDirectoryThatWasRemovedIsMadeAgainAndLockedAnew() throws Exception {
        take(TWO, OWNER);
        assertThat(run("rm", "-r", network.toString())).isZero();
        try (AddressDirectory.Session session = directory.open(PATIENCE)) {
            assertThat(session.used().isEmpty()).isTrue();
            assertThat(run("flock", "-n", network.resolve("lock").toString(), "true"))
                    .isEqualTo(1);
        }
    }

    @Test
    void theLockCanBeTakenAfterItsProcessWasKilled() throws IOException {
        take(TWO, OWNER);
        ProcessHandle.current()
                .children()
                .filter(child -> child.info()
                        .arguments()
                        .map(List::of)
                        .orElse(List.of())
                        .contains(network.resolve("lock").toString()))
                .forEach(ProcessHandle::destroyForcibly);
        assertThat(having(OWNER)).containsExactly(TWO);
    }

    @Test
    void aDirectoryThatCannotBeMadeIsNamed() throws IOException {
        Files.createDirectories(network.getParent());
        Files.writeString(network, "");
        assertThatThrownBy(() -> directory.open(PATIENCE))
                .hasMessage(
                        "the directory of addresses cannot be made: " + network + ": it is there and is no directory");
    }
}
