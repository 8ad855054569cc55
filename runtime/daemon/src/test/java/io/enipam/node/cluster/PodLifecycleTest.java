package io.enipam.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.enipam.v1.GetDbRecordRequest;
import io.enipam.v1.RunGcRequest;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.mockwebserver.http.MockResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One daemon against an API server whose pods are made anew, lost sight of, and asked for in vain. */
class PodLifecycleTest {
    /** A watch that is cut while it opens is noticed after two to three minutes. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    private static Path directory;

    @AutoClose
    private static ClusteredDaemon node;

    @BeforeAll
    static void start() throws IOException {
        node = new ClusteredDaemon(directory, "");
    }

    @AfterEach
    void theServerDoesWhatItShouldAgain() {
        node.server.answers(line -> Optional.empty());
        node.line.mend();
    }

    @Test
    void aStatefulSetsPodFindsItsAddressAgainWithANewUidAndANewContainerAndNobodyElseGetsItMeanwhile() {
        String uid = node.createStateful("db-0").getMetadata().getUid();
        String before = node.add("db-0", "c-db-1");
        node.del("db-0", "c-db-1");
        node.delete("db-0");
        for (int i = 0; i < 5; i++) {
            node.create("passer-" + i);
            assertThat(node.add("passer-" + i, "c-passer-" + i)).isNotEqualTo(before);
        }
        assertThat(node.createStateful("db-0").getMetadata().getUid()).isNotEqualTo(uid);

        assertThat(node.add("db-0", "c-db-2")).isEqualTo(before);
        // with eight leases and more, a collection that finds no pod at all would wait before it asks
        for (int i = 0; i < 5; i++) {
            node.del("passer-" + i, "c-passer-" + i);
        }
    }

    @Test
    void aDeletionThatTheWatchHasMissedIsNoticedWhenItListsAgainAndThePodsSuccessorIsLeftAlone() {
        node.create("gone-0");
        node.create("anew-0");
        node.add("gone-0", "c-gone");
        node.add("anew-0", "c-dead");
        node.cutOpenWatch();
        node.delete("gone-0");
        node.delete("anew-0");
        node.create("anew-0");
        AtomicInteger forgotten = new AtomicInteger();
        node.server.answers(line -> line.contains("watch=true") && forgotten.getAndIncrement() == 0
                ? Optional.of(FakeApiServer.watchError(410, "Expired", "too old resource version"))
                : Optional.empty());
        node.line.mend();

        String alive = node.add("anew-0", "c-alive");

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(node.lent("gone-0")).isEmpty();
            assertThat(node.lent("anew-0")).containsExactly(alive);
        });
    }

    @Test
    void aListFromAStaleCacheAndRechecksThatFailCostNoLivingPodItsAddress() {
        node.create("alive-0");
        node.create("dead-0");
        String address = node.add("alive-0", "c-alive-0");
        node.add("dead-0", "c-dead-0");
        String empty = Serialization.asJson(new PodListBuilder()
                .withNewMetadata()
                .withResourceVersion("1")
                .endMetadata()
                .build());
        AtomicInteger refused = new AtomicInteger();
        // what lists is behind and knows no pod at all; who asks for one pod gets a 500
        node.server.answers(line -> {
            if (line.contains("watch=true")) {
                return Optional.of(FakeApiServer.watchError(410, "Expired", "too old resource version"));
            }
            if (line.startsWith("GET /api/v1/pods")) {
                return Optional.of(new MockResponse()
                        .setResponseCode(200)
                        .setHeader("Content-Type", "application/json")
                        .setBody(empty));
            }
            return line.startsWith("GET /api/v1/namespaces/default/pods/")
                    ? Optional.of(
                            FakeApiServer.refusal(refused.getAndIncrement() % 2 == 0 ? 500 : 504, "Timeout", "etcd"))
                    : Optional.empty();
        });
        node.cutOpenWatch();
        node.delete("dead-0");
        node.line.mend();
        await().atMost(PATIENCE).until(() -> refused.get() > 0);
        assertThat(collected()).isZero();
        assertThat(node.lent("dead-0"))
                .as("nobody said for certain that it is gone")
                .hasSize(1);

        node.server.answers(line -> Optional.empty());

        await().atMost(PATIENCE).untilAsserted(() -> {
            collected();
            assertThat(node.lent("dead-0")).isEmpty();
        });
        assertThat(node.lent("alive-0")).containsExactly(address);
    }

    @CanIgnoreReturnValue
    private static int collected() {
        return node.daemon()
                .client()
                .control()
                .runGc(RunGcRequest.getDefaultInstance())
                .getReport()
                .getCollectedCount();
    }

    @Test
    void whatAPodAsksForIsInTheDatabaseForTheTimeWhenNobodyAnswers() {
        node.create("limited-0", Map.of("k8s.aliyun.com/ingress-bandwidth", "10M"));
        node.add("limited-0", "c-limited");
        assertThat(node.daemon()
                        .client()
                        .inspect()
                        .getDbRecord(GetDbRecordRequest.newBuilder()
                                .setKey("pods/default/limited-0")
                                .build())
                        .getRecord()
                        .toString())
                .contains("ingress")
                .contains("10485760");
    }
}
