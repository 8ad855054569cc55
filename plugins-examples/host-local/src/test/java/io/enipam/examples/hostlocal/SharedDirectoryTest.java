package io.enipam.examples.hostlocal;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.examples.hostlocal.Callers.Caller;
import io.enipam.sdk.CniService.CniAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Debian's plugin and this one on one /24 at once, and what a crash of this one leaves there. */
@DisabledIf(value = "io.enipam.examples.hostlocal.Callers#debiansIsMissing", disabledReason = Callers.MISSING)
class SharedDirectoryTest {
    private static final int CALLERS = 8;
    private static final int KILLS = 5;
    private static final int ROUNDS_BETWEEN_KILLS = 25;

    /** How long both are at it at the least; {@code -Pnightly}: 60. */
    private static final int SECONDS = Integer.getInteger("enipam.hostlocal.seconds", 0);

    private static final int ADDRESSES = 253;

    @TempDir
    Path data;

    private static String conf(Path data) {
        return "{\"cniVersion\":\"1.0.0\",\"name\":\"mynet\",\"ipam\":{\"type\":\"host-local\",\"subnet\":\"10.1.2.0/24\","
                + "\"dataDir\":\"" + data + "\"}}";
    }

    private static String address(CniAnswer answer) {
        assertThat(answer.status()).as(answer.stdout()).isZero();
        String address = Callers.json(answer).get("ips").get(0).get("address").asText();
        return address.substring(0, address.indexOf('/'));
    }

    private Map<String, String> files() {
        Map<String, String> files = new TreeMap<>(Callers.files(data.resolve("mynet")));
        files.remove("lock");
        files.remove("last_reserved_ip.0");
        return files;
    }

    private static String owner(Path data, String address) {
        try {
            return Files.readString(data.resolve("mynet").resolve(address));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Eight callers of this plugin that add and delete until the process is killed; each says what it does. */
    public static final class Hammer {
        private Hammer() {}

        public static void main(String[] arguments) {
            Path data = Path.of(arguments[0]);
            Caller ours = Callers.ours(new FileStore());
            for (int caller = 0; caller < CALLERS; caller++) {
                String container = "ours" + caller;
                new Thread(() -> {
                            while (true) {
                                System.out.println(container + " " + round(ours, container, data));
                            }
                        })
                        .start();
            }
        }

        private static String round(Caller ours, String container, Path data) {
            try {
                assertThat(ours.call("DEL", container, conf(data)).status()).isZero();
                String address = address(ours.call("ADD", container, conf(data)));
                String owner = owner(data, address);
                return owner.equals(container + "\r\neth0") ? "has " + address : "got " + address + " of " + owner;
            } catch (AssertionError | RuntimeException e) {
                return "failed: " + e;
            }
        }
    }

    /** @param home where {@code enipam-flock} is; a directory without it has the locks taken by flock(1) */
    private Process hammer(Path home) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Denipam.home=" + home,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Hammer.class.getName(),
                        data.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @Test
    void eightCallersOfEachAndFiveKillsLeaveNoDuplicateNoLostAddressAndNoStaleFile() throws Exception {
        Caller debians = Callers.debians();
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<Integer>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                String container = "debians" + caller;
                Callable<Integer> work = () -> {
                    int rounds = 0;
                    for (; !stop.get(); rounds++) {
                        String address = address(debians.call("ADD", container, conf(data)));
                        assertThat(data.resolve("mynet").resolve(address)).hasContent(container + "\r\neth0");
                        assertThat(debians.call("DEL", container, conf(data)).status())
                                .isZero();
                    }
                    return rounds;
                };
                callers.add(threads.submit(work));
            }
            for (int kill = 0; kill < KILLS; kill++) {
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS) / KILLS;
                Process hammer = hammer(kill % 2 == 0 ? Path.of("../..") : data);
                try (var said = hammer.inputReader()) {
                    for (int line = 0; line < ROUNDS_BETWEEN_KILLS + 5 * kill || System.nanoTime() < until; line++) {
                        assertThat(said.readLine())
                                .as("each address is its caller's alone")
                                .matches("ours[0-7] has .*");
                    }
                    hammer.destroyForcibly().waitFor();
                }
            }
            stop.set(true);
            for (Future<Integer> done : callers) {
                assertThat(done.get()).as("a caller of Debian's plugin").isPositive();
            }
        } finally {
            stop.set(true);
            threads.shutdownNow();
        }
        assertThat(files().values())
                .as("every file is whole, and a container's of the killed process")
                .doesNotHaveDuplicates()
                .allMatch(content -> content.matches("ours[0-7]\r\neth0"));
        try (FileStore store = new FileStore()) {
            Caller ours = Callers.ours(store);
            for (int caller = 0; caller < CALLERS; caller++) {
                Caller either = caller % 2 == 0 ? debians : ours;
                assertThat(either.call("DEL", "ours" + caller, conf(data)).status())
                        .isZero();
            }
            assertThat(files()).isEmpty();
            Set<String> all = new TreeSet<>();
            for (int i = 0; i < ADDRESSES; i++) {
                assertThat(all.add(address(ours.call("ADD", "c" + i, conf(data)))))
                        .isTrue();
            }
            assertThat(ours.call("ADD", "one-more", conf(data)).stdout()).contains("no IP addresses available");
        }
    }

    /** What is on the disk when the power fails after each write of an ADD of 10.1.2.2 for c1. */
    enum Write {
        DRAFT_MADE,
        DRAFT_HALF_WRITTEN,
        DRAFT_WRITTEN,
        LINKED,
        DRAFT_REMOVED,
        LAST_TRUNCATED,
        LAST_WRITTEN;

        void leave(Path network) throws IOException {
            Files.createDirectories(network);
            Path draft = network.resolve(".enipam-10.1.2.2");
            String text = "c1\r\neth0";
            Files.writeString(
                    draft, this == DRAFT_MADE ? "" : this == DRAFT_HALF_WRITTEN ? text.substring(0, 3) : text);
            if (compareTo(LINKED) >= 0) {
                Files.createLink(network.resolve("10.1.2.2"), draft);
            }
            if (compareTo(DRAFT_REMOVED) >= 0) {
                Files.delete(draft);
            }
            if (compareTo(LAST_TRUNCATED) >= 0) {
                Files.writeString(network.resolve("last_reserved_ip.0"), this == LAST_WRITTEN ? "10.1.2.2" : "");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Write.class)
    void aPowerFailureAfterAnyWriteLeavesTheAddressFreeOrWhollyItsOwners(Write write) throws IOException {
        write.leave(data.resolve("mynet"));
        boolean taken = write.compareTo(Write.LINKED) >= 0;
        try (FileStore store = new FileStore()) {
            Caller ours = Callers.ours(store);
            if (taken) {
                assertThat(Callers.debians().call("CHECK", "c1", conf(data)).status())
                        .isZero();
            }
            assertThat(ours.call("CHECK", "c1", conf(data)).status()).isEqualTo(taken ? 0 : 1);
            assertThat(address(ours.call("ADD", "c2", conf(data)))).isEqualTo(taken ? "10.1.2.3" : "10.1.2.2");
            assertThat(files().keySet()).as("no draft is left").allMatch(name -> name.startsWith("10."));
            // the runtime, which got no answer, deletes
            assertThat(ours.call("DEL", "c1", conf(data)).status()).isZero();
            assertThat(files()).hasSize(1).containsValue("c2\r\neth0");
        }
    }
}
