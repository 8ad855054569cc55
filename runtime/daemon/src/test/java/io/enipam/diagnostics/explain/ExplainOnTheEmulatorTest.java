package io.enipam.diagnostics.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.DaemonLayout;
import io.enipam.daemon.testing.EmulatedSurroundings;
import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.daemon.testing.SomebodyElse;
import io.enipam.engine.testing.TestThreads;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import io.enipam.v1.Lease;
import io.enipam.v1.Pool;
import io.enipam.v1.SourceDifference;
import io.enipam.v1.SourceStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real daemon on the emulator, asked about what is well and about what somebody did behind its back. */
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ExplainOnTheEmulatorTest {
    private static final Duration PATIENTLY = Duration.ofSeconds(60);

    @TempDir
    static Path root;

    private static final EmulatedSurroundings SURROUNDINGS = new EmulatedSurroundings();

    @AutoClose
    private static LivingDaemon daemon;

    private static SomebodyElse other;
    private static Lease taken;
    private static Lease notTaken;

    @BeforeAll
    static void start() throws IOException {
        DaemonLayout layout = DaemonLayout.below(root);
        Files.createDirectories(layout.enipamYaml().getParent());
        Files.writeString(
                layout.enipamYaml(),
                "pool: {min_idle: 3, max_idle: 12, capacity: 26, cool_down: 1s, sync_interval: 1h}\n");
        daemon = LivingDaemon.start(root, SURROUNDINGS);
        other = SURROUNDINGS.somebodyElse();
        // what changed less than ten seconds before may be missing in the cloud's list: they pass with the other tests
        taken = secondary("default/taken");
        notTaken = add("default/not-taken");
    }

    @Test
    void everySourceTellsOfAPodThatIsWell() {
        Lease lease = add("default/well");

        Explanation pod = only("default/well");
        assertThat(pod.getKind()).isEqualTo("POD");
        assertThat(pod.getState()).isEqualTo("HAS_ADDRESS");
        assertThat(pod.getWhy(0))
                .isEqualTo("has " + SocketClient.ip(lease) + " in container "
                        + lease.getOwner().getContainer());
        assertThat(pod.getSaysList())
                .extracting(SourceStatement::getSource)
                .containsExactly("database", "pool", "ENI book", "cloud", "kernel", "API server");
        // again where a source had no time to answer
        await().atMost(PATIENTLY)
                .untilAsserted(() -> assertThat(only("default/well").getSaysList())
                        .allSatisfy(says -> {
                            assertThat(says.getState()).as(says.getSource()).isEqualTo("KNOWN");
                            assertThat(says.getDiffers()).as(says.getSource()).isFalse();
                        }));
        // what the cloud said a moment ago, before there was the lease, counts for a while
        await().atMost(PATIENTLY)
                .untilAsserted(() -> assertThat(says(only(SocketClient.ip(lease), true), "cloud"))
                        .contains("on " + lease.getResource().getParent()));
        assertThat(only("well").getName()).as("the name alone is enough").isEqualTo("default/well");

        Explanation container = only(lease.getOwner().getContainer().substring(0, 8));
        assertThat(container.getKind()).isEqualTo("CONTAINER");
        assertThat(container.getPod()).isEqualTo("default/well");

        Explanation eni = only(lease.getResource().getParent());
        assertThat(eni.getKind()).isEqualTo("ENI");
        assertThat(eni.getWhy(0)).startsWith("attached and lending: it has ");
        assertThat(eni.getAddressesList())
                .anySatisfy(address -> assertThat(address.getPod()).isEqualTo("default/well"));
        assertThat(eni.getCallsList()).as("what the cloud was asked about it").isNotEmpty();
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void anAddressThatIsTakenBehindItsBackDiffersAndTheRestDoesNot() {
        // else an address that is taken may be assigned again in the same moment
        await().atMost(PATIENTLY).untilAsserted(() -> {
            Pool pool = daemon.client().pool();
            assertThat(pool.getCounts().getIdle()).isGreaterThanOrEqualTo(pool.getMinIdle());
            assertThat(pool.getCounts().getCreating()).isZero();
        });
        other.takes(taken.getResource().getParent(), SocketClient.ip(taken));

        await().atMost(PATIENTLY).pollInterval(Duration.ofMillis(500)).untilAsserted(() -> {
            Explanation address = only(SocketClient.ip(taken), true);
            assertThat(address.getDifferencesList())
                    .extracting(SourceDifference::getKind)
                    .containsExactly("ADDRESS_NOT_IN_CLOUD");
            assertThat(address.getSaysList())
                    .filteredOn(SourceStatement::getDiffers)
                    .extracting(SourceStatement::getSource)
                    .containsExactly("pool", "cloud");
        });
        assertThat(only(SocketClient.ip(notTaken), true).getDifferencesList()).isEmpty();
        other.gives(taken.getResource().getParent(), SocketClient.ip(taken));
    }

    @Test
    void aPodThatIsGoneStillHasItsAddressUntilTheNextGarbageCollection() {
        Lease lease = add("default/vanished");
        daemon.client()
                .control()
                .deletePod(
                        DeletePodRequest.newBuilder().setPod("default/vanished").build());

        Explanation address = only(SocketClient.ip(lease));
        assertThat(address.getState()).isEqualTo("IN_USE");
        assertThat(address.getWhy(0))
                .isEqualTo("in use by pod default/vanished, container "
                        + lease.getOwner().getContainer()
                        + ", though the pod is gone (no such pod) and no DEL has come");
        assertThat(address.getNextList()).singleElement().satisfies(next -> {
            assertThat(next.getWhat()).startsWith("the garbage collection ends the lease");
            assertThat(next.hasAt()).isTrue();
        });
        assertThat(address.getDifferencesList())
                .extracting(SourceDifference::getKind)
                .containsExactly("POD_GONE");
        daemon.client().del("default/vanished");
    }

    @Test
    void whatIsNotOfThisNodeIsToldSo() {
        String theirs = other.makes(Optional.empty());
        String ip = other.sees(theirs).orElseThrow().getPrivateIpAddress();

        Explanation address = only(ip, true);
        assertThat(address.getState()).isEqualTo("ELSEWHERE");
        assertThat(address.getWhy(0))
                .isEqualTo("not this node's: per the cloud it is on ENI " + theirs
                        + ", which is Available and hangs on nothing");

        ExplainReply far = explain("192.0.2.1", false);
        assertThat(far.getThingsList()).isEmpty();
        assertThat(far.getLooked(0)).startsWith("192.0.2.1 cannot be of this node: vsw-sandbox has ");

        ExplainReply nobody = explain("default/wel", false);
        assertThat(nobody.getThingsList()).isEmpty();
        assertThat(nobody.getLookedList())
                .anySatisfy(line -> assertThat(line).startsWith("API server: ").endsWith("none of it"));
    }

    @Test
    void aPodWithoutAnAddressIsInTheQueueAndThenRefused() {
        List<CompletableFuture<Void>> adds = new ArrayList<>();
        try {
            IntStream.range(0, 60)
                    .forEach(i ->
                            adds.add(CompletableFuture.runAsync(() -> add("crowd/pod-" + i, 8), TestThreads.PER_TASK)));
            await().atMost(PATIENTLY)
                    .until(() -> crowd().anyMatch(pod -> pod.getState().equals("WAITING")
                            && pod.getWhy(0).startsWith("no address yet: it waits in the queue at place ")
                            && pod.hasUntil()));
            // some of those who waited got an address that was being made, and there are not enough for all
            await().atMost(PATIENTLY)
                    .until(() -> crowd().anyMatch(pod -> pod.getState().equals("REFUSED")
                            && pod.getWhy(0).startsWith("no address: its last ADD failed with POOL_EXHAUSTED: ")));
        } finally {
            adds.forEach(add -> add.handle((done, refusal) -> true).join());
            IntStream.range(0, 60).forEach(i -> del("crowd/pod-" + i));
        }
    }

    @Test
    void aBusyHealthyNodeShowsNoDifference() {
        AtomicBoolean done = new AtomicBoolean();
        List<CompletableFuture<Void>> pods = IntStream.range(0, 6)
                .mapToObj(i -> CompletableFuture.runAsync(
                        () -> {
                            while (!done.get()) {
                                add("busy/pod-" + i);
                                del("busy/pod-" + i);
                            }
                        },
                        TestThreads.PER_TASK))
                .toList();
        List<Explanation> seen = new ArrayList<>();
        try {
            for (int look = 0; look < 25; look++) {
                List<String> addresses = addresses();
                String address = addresses.get(ThreadLocalRandom.current().nextInt(addresses.size()));
                seen.addAll(explain(address, look % 5 == 0).getThingsList());
                seen.addAll(explain("busy/pod-" + look % 6, false).getThingsList());
            }
        } finally {
            done.set(true);
        }
        pods.forEach(CompletableFuture::join);

        assertThat(seen).hasSizeGreaterThan(25);
        assertThat(seen)
                .filteredOn(thing -> thing.getPod().isEmpty() || thing.getPod().startsWith("busy/"))
                .allSatisfy(thing -> assertThat(thing.getDifferencesList())
                        .as("%s %s", thing.getName(), thing.getWhyList())
                        .isEmpty());
    }

    /** What is said of each pod of the crowd that anybody has heard of. */
    private static Stream<Explanation> crowd() {
        return IntStream.range(0, 60)
                .mapToObj(i -> explain("crowd/pod-" + i, false))
                .flatMap(reply -> reply.getThingsList().stream());
    }

    private static List<String> addresses() {
        return daemon.client().enis().stream()
                .flatMap(eni -> eni.getAddressesList().stream())
                .map(address -> address.getAddress().replaceAll("/.*", ""))
                .toList();
    }

    private static Explanation only(String what) {
        return only(what, false);
    }

    private static Explanation only(String what, boolean anew) {
        ExplainReply reply = explain(what, anew);
        assertThat(reply.getThingsList())
                .as("%s: %s", what, reply.getLookedList())
                .hasSize(1);
        return reply.getThings(0);
    }

    private static ExplainReply explain(String what, boolean anew) {
        return daemon.client()
                .inspect()
                .explain(ExplainRequest.newBuilder().setWhat(what).setAnew(anew).build());
    }

    private static String says(Explanation thing, String source) {
        return thing.getSaysList().stream()
                .filter(says -> says.getSource().equals(source))
                .flatMap(says -> says.getWordsList().stream())
                .findFirst()
                .orElse("");
    }

    /** A primary address cannot be taken off its ENI. */
    private static Lease secondary(String pod) {
        Lease lease = add(pod);
        return lease.getResource().getAttributesOrThrow("primary").equals("true") ? add(pod + "-2") : lease;
    }

    private static Lease add(String pod) {
        return add(pod, 25);
    }

    private static Lease add(String pod, int seconds) {
        return daemon.add(pod, Duration.ofSeconds(seconds));
    }

    private static void del(String pod) {
        daemon.client().del(pod);
    }
}
