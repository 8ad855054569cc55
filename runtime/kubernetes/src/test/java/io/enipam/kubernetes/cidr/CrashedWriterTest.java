package io.enipam.kubernetes.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.kubernetes.cidr.NodeCidrFactory.LentAddress;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a crash of either writer leaves in the directory, and the real host-local plugin beside it. */
@DisabledIf(value = "io.enipam.kubernetes.cidr.HostLocalPlugin#isMissing", disabledReason = HostLocalPlugin.MISSING)
class CrashedWriterTest {
    private static final NodeCidr CIDR = NodeCidr.parse("10.64.0.0/27");
    private static final AddressOwner SANDBOX = AddressOwner.sandbox("c1", "eth0");
    private static final int KILLS = 6;

    @TempDir
    Path data;

    private Path directory;
    private HostLocalFileStore files;
    private HostLocalPlugin plugin;
    private final List<String> warnings = new ArrayList<>();
    private final List<LentAddress> lent = new ArrayList<>();
    private NodeCidrAllocator book;

    @BeforeEach
    void open() throws IOException {
        directory = Files.createDirectories(data.resolve("networks"));
        files = new HostLocalFileStore(directory);
        plugin = new HostLocalPlugin(data);
        book = book(List.of());
    }

    private NodeCidrAllocator book(List<Resource> known) {
        return new NodeCidrAllocator(CIDR, files, known, () -> lent, warnings::add);
    }

    private static List<Resource> made(NodeCidrAllocator book, int wanted) throws IOException {
        List<Resource> made = new ArrayList<>();
        for (CreateResult result : book.allocate(wanted)) {
            if (result instanceof Created created) {
                made.add(created.resource());
            }
        }
        return made;
    }

    private static String host(Resource resource) {
        return resource.addresses().get(0).host();
    }

    private Path file(String address) {
        return directory.resolve(address);
    }

    private List<Path> drafts() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> path.getFileName().toString().startsWith("."))
                    .toList();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 75})
    void theAddressOfAnEmptyFileThatHostLocalNeverGivesAgainIsReclaimed(int zeros) throws Exception {
        for (int i = 2; i <= 30; i++) {
            Files.write(file("10.64.0." + i), i == 7 ? new byte[zeros] : ("c" + i + "\r\neth0").getBytes());
        }
        assertThat(plugin.run("ADD", "c99").text()).contains("no IP addresses available");

        assertThat(book.list()).isEmpty();

        assertThat(plugin.add("c99")).isEqualTo("10.64.0.7");
        assertThat(warnings).isEmpty();
    }

    @Test
    void theNextAddressMayBeThatOfAnEmptyFile() throws Exception {
        Files.createFile(file("10.64.0.2"));
        assertThat(made(book, 2)).extracting(CrashedWriterTest::host).containsExactly("10.64.0.2", "10.64.0.3");
    }

    @Test
    void aDirectoryInAnAddresssPlaceNamesNoOwnerAndIsLeftAlone() throws Exception {
        Files.createDirectory(file("10.64.0.2"));
        book.list();
        assertThat(made(book, 1)).extracting(CrashedWriterTest::host).containsExactly("10.64.0.3");
        assertThat(file("10.64.0.2")).isDirectory();
    }

    @Test
    void anEmptiedFileOfALentAddressNamesItsSandboxAgainAndNoPodIsToBeDeleted() throws Exception {
        Resource resource = made(book, 1).get(0);
        lent.add(new LentAddress(resource.id(), SANDBOX));
        Files.write(file("10.64.0.2"), new byte[0]);

        assertThat(book.list()).containsExactly(resource);

        assertThat(files.owner("10.64.0.2")).contains(SANDBOX);
        assertThat(plugin.run("CHECK", "c1").code()).isZero();
        assertThat(warnings).isEmpty();
    }

    /** What is on the disk when the daemon dies after each step of taking 10.64.0.2 for c1. */
    enum Step {
        DRAFT_MADE,
        DRAFT_HALF_WRITTEN,
        DRAFT_WRITTEN,
        LINKED,
        DRAFT_REMOVED;

        void leave(Path directory) throws IOException {
            Path draft = directory.resolve(".enipam-10.64.0.2");
            String text = SANDBOX.text();
            Files.writeString(
                    draft,
                    switch (this) {
                        case DRAFT_MADE -> "";
                        case DRAFT_HALF_WRITTEN -> text.substring(0, 3);
                        default -> text;
                    });
            if (compareTo(LINKED) >= 0) {
                Files.createLink(directory.resolve("10.64.0.2"), draft);
            }
            if (this == DRAFT_REMOVED) {
                Files.delete(draft);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Step.class)
    void aDaemonKilledAfterAnyStepOfTakingAnAddressLeavesItFreeOrWhollyOurs(Step step) throws Exception {
        step.leave(directory);
        boolean taken = step.compareTo(Step.LINKED) >= 0;

        assertThat(plugin.add("c9")).isEqualTo(taken ? "10.64.0.3" : "10.64.0.2");
        List<Resource> ours = book.list();
        assertThat(ours).extracting(CrashedWriterTest::host).isEqualTo(taken ? List.of("10.64.0.2") : List.of());

        assertThat(drafts()).as("the next holder of the lock removes drafts").isEmpty();
        Set<String> all = new HashSet<>(files.owners().keySet());
        for (Resource resource : made(book, 29)) {
            assertThat(all.add(host(resource))).isTrue();
        }
        assertThat(all).as("no address is lost, none is given twice").hasSize(29);
        assertThat(plugin.run("DEL", "c1").code()).isZero();
        assertThat(warnings).isEmpty();
    }

    @Test
    void aFileOfAFormerVersionKeepsItsOwnerAndHasTheFullLengthFromItsNextSignatureOn() throws Exception {
        Files.writeString(file("10.64.0.2"), "c1\r\neth0\r\n\t\r\n");
        assertThat(files.owner("10.64.0.2")).contains(SANDBOX);
        assertThat(files.changeOwner("10.64.0.2", AddressOwner.sandbox("c2", "eth0")))
                .isTrue();
        assertThat(Files.size(file("10.64.0.2"))).isEqualTo(AddressOwner.LENGTH);
        assertThat(plugin.run("CHECK", "c2").code()).isZero();
        for (AddressOwner owner : List.of(AddressOwner.IDLE, AddressOwner.sandbox("0".repeat(64), "eth0"))) {
            assertThat(files.changeOwner("10.64.0.2", owner)).isTrue();
            assertThat(Files.size(file("10.64.0.2")))
                    .as("a signature changes no length: one sector, the former text or the next")
                    .isEqualTo(AddressOwner.LENGTH);
        }
    }

    @Test
    void aRemovedFileOfALivingLeaseIsPutBackWithoutAComparison() throws Exception {
        try (NodeCidrFactory factory =
                new NodeCidrFactory(CIDR, files, made(book, 1), () -> lent, () -> Instant.EPOCH, warnings::add)) {
            List<Resource> known = factory.list().toCompletableFuture().join();
            lent.add(new LentAddress(known.get(0).id(), SANDBOX));
            Files.delete(file("10.64.0.2"));

            factory.restoreFiles();

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> files.owner("10.64.0.2").equals(Optional.of(SANDBOX)));
            Files.writeString(directory.resolve("last_reserved_ip.0"), "10.64.0.30");
            assertThat(plugin.add("c9")).isEqualTo("10.64.0.3");
        }
    }

    /** Takes, signs and gives back until it is killed. */
    public static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws IOException {
            HostLocalFileStore files = new HostLocalFileStore(Path.of(arguments[0]));
            NodeCidrAllocator book = new NodeCidrAllocator(CIDR, files, List.of(), List::of, warning -> {});
            book.release(book.list());
            for (int round = 0; ; round++) {
                List<Resource> made = made(book, 5);
                for (Resource resource : made) {
                    files.changeOwner(host(resource), AddressOwner.sandbox("w" + round, "eth0"));
                    System.out.println(host(resource));
                }
                book.release(made);
            }
        }
    }

    @Test
    void aDaemonKilledInTheMiddleOfItsWorkAgainAndAgainLeavesNoFileWithoutAnOwner() throws Exception {
        for (int round = 0; round < KILLS; round++) {
            Process writer = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Writer.class.getName(),
                            directory.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            byte[] some = writer.getInputStream().readNBytes(100 + 97 * round);
            assertThat(some).isNotEmpty();
            writer.destroyForcibly().waitFor();

            for (Map.Entry<String, AddressOwner> entry : files.owners().entrySet()) {
                assertThat(entry.getValue().isUnnamed()).as(entry.getKey()).isFalse();
                if (entry.getValue().ours()) {
                    assertThat(Files.size(file(entry.getKey()))).isEqualTo(AddressOwner.LENGTH);
                }
            }
            String address = plugin.add("host-local-" + round);
            assertThat(files.owner(address)).contains(new AddressOwner("host-local-" + round, "eth0", false));
        }
        book.list();
        assertThat(drafts()).isEmpty();
        book.allocate(29);
        assertThat(files.owners()).as("every address has one owner").hasSize(29);
        assertThat(files.owners().values())
                .extracting(AddressOwner::containerId)
                .containsAll(IntStream.range(0, KILLS)
                        .mapToObj(round -> "host-local-" + round)
                        .toList());
        assertThat(warnings).isEmpty();
    }
}
