package io.enipam.kubernetes.cidr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.cidr.AddressFileStore.AddressOwner;
import io.enipam.sdk.CreateResult;
import io.enipam.sdk.Created;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ranges.Flock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The same directory, the real host-local plugin and this one's files. */
@DisabledIf(value = "io.enipam.kubernetes.cidr.HostLocalPlugin#isMissing", disabledReason = HostLocalPlugin.MISSING)
class HostLocalSharingTest {
    @TempDir
    Path data;

    private Path directory;
    private HostLocalFileStore files;
    private NodeCidrAllocator book;
    private final List<String> warnings = new ArrayList<>();

    @BeforeEach
    void open() {
        directory = data.resolve("networks");
        files = new HostLocalFileStore(directory);
        book = new NodeCidrAllocator(NodeCidr.parse("10.64.0.0/27"), files, List.of(), List::of, warnings::add);
    }

    private HostLocalPlugin.Answer hostLocal(String command, String container) throws Exception {
        return new HostLocalPlugin(data).run(command, container);
    }

    private String added(String container) throws Exception {
        return new HostLocalPlugin(data).add(container);
    }

    private List<Resource> made(int wanted) throws IOException {
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

    @Test
    void eachGoesOnAfterTheLastAddressOfTheOther() throws Exception {
        assertThat(added("c1")).isEqualTo("10.64.0.2");
        assertThat(made(2)).extracting(HostLocalSharingTest::host).containsExactly("10.64.0.3", "10.64.0.4");
        assertThat(added("c2")).isEqualTo("10.64.0.5");
        assertThat(Files.readString(directory.resolve("last_reserved_ip.0"))).isEqualTo("10.64.0.5");
        assertThat(Files.readString(directory.resolve("10.64.0.5"))).isEqualTo("c2\r\neth0");
        assertThat(files.owner("10.64.0.5")).contains(new AddressOwner("c2", "eth0", false));
    }

    @Test
    void thePluginFindsTheSandboxThatHasAnAddressOfOursAndRefusesItASecond() throws Exception {
        String ours = host(made(1).get(0));
        assertThat(hostLocal("CHECK", "c1").code()).isNotZero();
        assertThat(files.changeOwner(ours, AddressOwner.sandbox("c1", "eth0"))).isTrue();
        assertThat(hostLocal("CHECK", "c1").code()).isZero();
        assertThat(hostLocal("ADD", "c1").text()).contains(ours + " has been allocated to c1");
        assertThat(files.changeOwner(ours, AddressOwner.IDLE)).isTrue();
        assertThat(hostLocal("CHECK", "c1").code()).isNotZero();
        assertThat(hostLocal("DEL", "c1").code()).isZero();
        assertThat(files.owner(ours)).as("a DEL finds no idle address").contains(AddressOwner.IDLE);
    }

    @Test
    void aDelOfThePluginForAFileOfOursLendsNothingTwice() throws Exception {
        List<Resource> two = made(2);
        String first = host(two.get(0));
        String second = host(two.get(1));
        files.changeOwner(first, AddressOwner.sandbox("c1", "eth0"));
        files.changeOwner(second, AddressOwner.sandbox("c2", "eth0"));
        hostLocal("DEL", "c1");
        hostLocal("DEL", "c2");
        assertThat(files.owners()).isEmpty();
        Files.writeString(directory.resolve("last_reserved_ip.0"), "10.64.0.30");
        assertThat(added("c9")).isEqualTo(first);
        assertThat(book.list()).extracting(HostLocalSharingTest::host).containsExactly(second);
        assertThat(warnings).singleElement().asString().contains("c9 eth0 has its file");
        assertThat(added("c10")).as("the other is ours again").isNotEqualTo(second);
    }

    @Test
    void bothAtOnceNeverGiveTheSameAddress() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        Set<String> given = new HashSet<>();
        try {
            List<Callable<List<String>>> work = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                String container = "c" + i;
                work.add(() -> List.of(added(container)));
            }
            Callable<List<String>> ours = () -> {
                List<String> mine = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    made(2).forEach(resource -> mine.add(host(resource)));
                }
                return mine;
            };
            work.add(3, ours);
            for (Future<List<String>> done : threads.invokeAll(work)) {
                for (String address : done.get(60, TimeUnit.SECONDS)) {
                    assertThat(given.add(address))
                            .as("%s is given twice", address)
                            .isTrue();
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(given).hasSize(28).hasSameElementsAs(files.owners().keySet());
    }

    @Test
    void theLockIsTheOneThePluginWaitsFor() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            Future<String> waiting;
            try (AddressFileStore.LockHandle held = files.lock()) {
                waiting = thread.submit(() -> added("c1"));
                assertThatThrownBy(() -> waiting.get(500, TimeUnit.MILLISECONDS))
                        .isInstanceOf(java.util.concurrent.TimeoutException.class);
                assertThat(files.owners()).isEmpty();
                assertThatThrownBy(() -> {
                            try (Flock another = new Flock(directory.resolve("lock"))) {
                                another.lock(Duration.ofSeconds(1));
                            }
                        })
                        .hasMessageContaining("is locked by another for more than 1s");
            }
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo("10.64.0.2");
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void whateverHasTheNameOfAnAddressHasTheAddress() throws Exception {
        Files.createDirectories(directory.resolve("10.64.0.2"));
        Files.createDirectories(directory.resolve("another-network"));
        Files.writeString(directory.resolve("10.64.0.3"), "junk");
        assertThat(files.owners()).containsOnlyKeys("10.64.0.2", "10.64.0.3");
        assertThat(host(made(1).get(0))).isEqualTo("10.64.0.4");
    }

    @Test
    void aDirectoryThatIsNoneIsNamed() throws Exception {
        Files.writeString(directory, "");
        assertThatThrownBy(() -> made(1))
                .hasMessage("the directory of addresses cannot be made: " + directory
                        + ": it is there and is no directory");
        assertThatThrownBy(() -> book.list()).isInstanceOf(IOException.class);
    }

    @Test
    void aCrashInTheMiddleOfSigningLeavesAnAddressOfOurs() throws Exception {
        String address = host(made(1).get(0));
        Files.writeString(directory.resolve(address), "enipam:idle\r\npool\r\n\t\r\n0123456789\r\neth0\r\n\t\r\n");
        assertThat(files.owner(address)).isEqualTo(Optional.of(AddressOwner.IDLE));
    }
}
