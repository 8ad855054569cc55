package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.simulation.VirtualTime;
import io.enipam.events.EventRing;
import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.pods.PodInformer.WatchedPod;
import io.enipam.kubernetes.pods.PodIpsAnnotator;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.platform.testing.FakeEngine;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.mockwebserver.http.MockResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PodIpAnnotatorTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final PodRef WEB = new PodRef("shop", "web-0");
    private static final PodRef DB = new PodRef("shop", "db-0");

    private final FakeApiServer server = new FakeApiServer();
    private final AtomicInteger patches = new AtomicInteger();
    private final ApiServerClient calls =
            server.calls((request, code) -> patches.addAndGet(request.equals("PATCH pods") ? 1 : 0));
    private final VirtualTime time = new VirtualTime();
    private final EventRing events = new EventRing(time, Runnable::run);
    private final FakeEngine engine = new FakeEngine(10);
    private final List<WatchedPod> watched = new ArrayList<>();
    private final PodIpAnnotator notes = new PodIpAnnotator(
            engine,
            new PodIpsAnnotator(calls),
            () -> Optional.of(List.copyOf(watched)),
            time,
            events,
            new SplittableRandom(1));

    @AfterEach
    void close() {
        calls.close();
        server.close();
    }

    @Test
    void aPodWithALeaseHasItsAddressesWrittenToItAndNothingElseChanges() {
        create(WEB);
        lend(WEB, uid(WEB), "10.0.0.5");
        notes.granted(WEB);
        await().atMost(PATIENCE).until(() -> "10.0.0.5".equals(noted(WEB)));
        assertThat(annotations(WEB)).containsEntry("of/others", "stays");
        await().atMost(PATIENCE).until(() -> notes.waiting() == 0);
        notes.granted(WEB);
        notes.sync();
        assertThat(patches).as("once is enough").hasValue(1);
    }

    @Test
    void aPodMadeAnewUnderTheNameDoesNotGetItsPredecessorsAddresses() {
        create(WEB);
        lend(WEB, "uid-of-its-predecessor", "10.0.0.5");
        create(DB);
        lend(DB, uid(DB), "10.0.0.6");
        notes.granted(WEB);
        notes.granted(DB);
        await().atMost(PATIENCE).until(() -> "10.0.0.6".equals(noted(DB)));
        await().atMost(PATIENCE).until(() -> notes.waiting() == 0);
        assertThat(annotations(WEB)).doesNotContainKey("k8s.aliyun.com/pod-ips");
    }

    @Test
    void afterARestartThoseThatHaveItAreLeftAloneAndThoseThatWereMissedAreNot() {
        create(WEB);
        create(DB);
        lend(WEB, uid(WEB), "10.0.0.5");
        lend(DB, uid(DB), "10.0.0.6");
        sees(WEB, uid(WEB), "10.0.0.5");
        sees(DB, uid(DB), "");
        notes.sync();
        await().atMost(PATIENCE).until(() -> "10.0.0.6".equals(noted(DB)));
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(patches).hasValue(1));
    }

    @Test
    void aPodThatIsGoneIsLetGo() {
        lend(WEB, "uid-1", "10.0.0.5");
        notes.granted(WEB);
        await().atMost(PATIENCE).until(() -> notes.waiting() == 0);
        assertThat(patches).hasValue(1);
    }

    @Test
    void whileTheServerIsAwayItIsTriedAgainEverMoreSeldomAndDoneInTheEnd() {
        create(WEB);
        lend(WEB, uid(WEB), "10.0.0.5");
        server.answers(line -> onPatch(line, FakeApiServer.refusal(503, "ServiceUnavailable", "no leader")));
        notes.granted(WEB);
        await().atMost(PATIENCE).until(() -> patches.get() == 1);
        assertThat(notes.waiting()).isEqualTo(1);
        server.answers(line -> Optional.empty());
        await().atMost(PATIENCE).untilAsserted(() -> {
            time.advance(Duration.ofSeconds(2));
            notes.sync();
            assertThat(noted(WEB)).isEqualTo("10.0.0.5");
        });
    }

    @Test
    void aPodThatChangesUnderUsAgainAndAgainIsGivenUpAndHoldsUpNobody() {
        create(WEB);
        create(DB);
        lend(WEB, uid(WEB), "10.0.0.5");
        lend(DB, uid(DB), "10.0.0.6");
        server.answers(line -> line.contains("web-0")
                ? onPatch(line, FakeApiServer.refusal(409, "Conflict", "the object has been modified"))
                : Optional.empty());
        notes.granted(WEB);
        notes.granted(DB);
        await().atMost(PATIENCE).until(() -> "10.0.0.6".equals(noted(DB)));
        await().atMost(PATIENCE).until(() -> {
            time.advance(Duration.ofSeconds(10));
            notes.sync();
            return notes.waiting() == 0;
        });
        assertThat(patches).hasValue(1 + 1 + PodIpAnnotator.CONFLICTS);
    }

    @Test
    void aPodThatAWebhookKeepsFromBeingChangedHoldsUpNobody() {
        create(WEB);
        create(DB);
        lend(WEB, uid(WEB), "10.0.0.5");
        lend(DB, uid(DB), "10.0.0.6");
        for (int code : List.of(400, 403, 500)) {
            String why = "admission webhook \"images.example.com\" denied the request: not signed";
            server.answers(line -> line.contains("web-0")
                    ? onPatch(line, FakeApiServer.refusal(code, "Refused", why))
                    : Optional.empty());
            int before = patches.get();
            notes.granted(WEB);
            await().atMost(PATIENCE).until(() -> patches.get() > before);
            await("it is tried again, after " + code).atMost(PATIENCE).until(() -> notes.waiting() == 1);
            time.advance(Duration.ofMinutes(6));
        }
        notes.granted(WEB);
        notes.granted(DB);
        await().atMost(PATIENCE).until(() -> "10.0.0.6".equals(noted(DB)));
        assertThat(complaints()).as("it may change pods").isEmpty();
        server.answers(line -> Optional.empty());
        time.advance(Duration.ofMinutes(6));
        notes.sync();
        await().atMost(PATIENCE).until(() -> "10.0.0.5".equals(noted(WEB)));
    }

    @Test
    void aPodWhoseChangeIsNeverAnsweredHoldsUpNobodyForEver() {
        create(WEB);
        create(DB);
        lend(WEB, uid(WEB), "10.0.0.5");
        lend(DB, uid(DB), "10.0.0.6");
        server.answers(line -> line.contains("web-0")
                ? onPatch(line, FakeApiServer.refusal(504, "Timeout", "the server did not answer in time"))
                : Optional.empty());
        notes.granted(WEB);
        await().atMost(PATIENCE).until(() -> patches.get() == 1);
        notes.granted(DB);
        await().atMost(PATIENCE).until(() -> {
            time.advance(Duration.ofSeconds(2));
            notes.sync();
            return "10.0.0.6".equals(noted(DB));
        });
        await().atMost(PATIENCE).until(() -> notes.waiting() == 1);
    }

    @Test
    void aDaemonThatMayNotPatchPodsSaysSoOnceAndAsksSeldom() {
        lend(WEB, "uid-1", "10.0.0.5");
        server.answers(line -> onPatch(line, FakeApiServer.refusal(403, "Forbidden", "pods is forbidden")));
        notes.granted(WEB);
        await().atMost(PATIENCE).until(() -> complaints().size() == 1);
        notes.sync();
        time.advance(PodIpAnnotator.FORBIDDEN);
        await().atMost(PATIENCE).until(() -> {
            notes.sync();
            return patches.get() == 2;
        });
        assertThat(complaints()).hasSize(1).first().asString().contains("does not let this daemon patch pods");
    }

    @Test
    void aClockThatIsSetBackByEightHoursHoldsNothingUp() {
        create(WEB);
        lend(WEB, uid(WEB), "10.0.0.5");
        server.answers(line -> onPatch(line, FakeApiServer.refusal(409, "Conflict", "the object has been modified")));
        notes.granted(WEB);
        await().atMost(PATIENCE).until(() -> patches.get() == 1);
        server.answers(line -> Optional.empty());
        time.setClock(Duration.ofHours(-8));
        await().atMost(PATIENCE).untilAsserted(() -> {
            time.advance(Duration.ofSeconds(10)); // again, where the answer was heard behind it
            notes.sync();
            assertThat(noted(WEB)).isEqualTo("10.0.0.5");
        });
    }

    @Test
    void anAddThatDidNotLearnTheUidIsKnownByTheAddressThatThePodHas() throws Exception {
        create(WEB);
        lend(WEB, "", "10.0.0.5");
        notes.granted(WEB);
        watched.add(new WatchedPod(
                new Pod(WEB, uid(WEB), false, Duration.ZERO, List.of(Address.literal("10.0.0.5")), PodNetworkSpec.NONE),
                WatchedPod.PodDetails.NONE,
                ""));
        notes.sync();
        await().atMost(PATIENCE).until(() -> "10.0.0.5".equals(noted(WEB)));
    }

    private static Optional<MockResponse> onPatch(String line, MockResponse answer) {
        return line.startsWith("PATCH ") && line.contains("/pods/") ? Optional.of(answer) : Optional.empty();
    }

    private void create(PodRef pod) {
        server.client()
                .resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(pod.namespace())
                        .withName(pod.name())
                        .addToAnnotations("of/others", "stays")
                        .endMetadata()
                        .build())
                .create();
    }

    private void lend(PodRef pod, String uid, String ip) {
        engine.put(new Lease(
                new OwnerKey("enipam", "sandbox-of-" + pod.name(), "eth0"),
                pod,
                uid,
                new Resource(
                        new ResourceId("eni-1/" + ip),
                        ResourceKind.ENI_IP,
                        List.of(Address.parse(ip + "/24")),
                        "eni-1",
                        Map.of()),
                Duration.ZERO,
                time.now()));
    }

    private void sees(PodRef pod, String uid, String noted) {
        watched.add(new WatchedPod(new Pod(pod, uid, false, Duration.ZERO), WatchedPod.PodDetails.NONE, noted));
    }

    private io.fabric8.kubernetes.api.model.Pod now(PodRef pod) {
        return server.client()
                .pods()
                .inNamespace(pod.namespace())
                .withName(pod.name())
                .get();
    }

    private String uid(PodRef pod) {
        return now(pod).getMetadata().getUid();
    }

    private Map<String, String> annotations(PodRef pod) {
        return now(pod).getMetadata().getAnnotations();
    }

    private String noted(PodRef pod) {
        return annotations(pod).getOrDefault("k8s.aliyun.com/pod-ips", "");
    }

    private List<String> complaints() {
        return events.after(0).stream()
                .filter(event -> event.type().equals("PodsNotOurs"))
                .map(Event::message)
                .toList();
    }
}
