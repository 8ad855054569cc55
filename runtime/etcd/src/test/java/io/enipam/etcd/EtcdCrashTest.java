package io.enipam.etcd;

import static io.enipam.etcd.Clients.TABLE;
import static io.enipam.etcd.Clients.content;
import static io.enipam.etcd.Clients.done;
import static io.enipam.etcd.Clients.opened;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.engine.testing.TestThreads;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.etcd.testing.TcpProxy;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Journal;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.Transaction;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Members of etcd that are killed in the middle of commits: one at each step of a commit, and two of three. */
class EtcdCrashTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    @AutoClose
    private final Clients clients = new Clients();

    @BeforeAll
    static void assumeEtcd() {
        Clients.assumeEtcd();
    }

    private static void append(Transaction tx, String key, String what) {
        tx.put(TABLE, key, tx.get(TABLE, key).map(Row::value).orElse("") + what);
    }

    // ---- one member

    private enum Step {
        /** The request of the commit has not come to etcd. */
        BEFORE_THE_REQUEST,
        /** It was carried out, and the client has no answer. */
        BEFORE_THE_ANSWER,
        /** The client has the answer. */
        AFTER_THE_ANSWER
    }

    @ParameterizedTest
    @EnumSource
    void ofTwoWritersEachCommitIsCarriedOutOnceWhicheverStepAKillHits(Step step) {
        EtcdServer etcd = clients.started(temp, "http", EtcdServer.LARGE_REQUESTS);
        int rounds = 5;
        try (TcpProxy proxy = new TcpProxy(etcd.port())) {
            Journal one = opened(clients.connect(proxy.endpoint()));
            Journal other = opened(clients.connect(etcd.endpoint()));
            for (int round = 1; round <= rounds; round++) {
                int lost = proxy.lost();
                AtomicInteger runs = new AtomicInteger();
                CompletionStage<Void> first = one.update(tx -> {
                    append(tx, "k", "x");
                    append(tx, "one", "x");
                    if (runs.incrementAndGet() == 1 && step == Step.BEFORE_THE_REQUEST) {
                        proxy.loseNextRequest();
                    } else if (runs.get() == 1 && step == Step.BEFORE_THE_ANSWER) {
                        proxy.loseNextAnswer();
                    }
                });
                CompletionStage<Void> second = other.update(tx -> append(tx, "k", "y"));
                if (step == Step.AFTER_THE_ANSWER) {
                    done(first);
                } else {
                    await().atMost(PATIENCE).until(() -> proxy.lost() > lost);
                }
                etcd.kill();
                etcd.start();
                done(first);
                done(second);
            }
            Map<String, String> content = content(opened(clients.connect(etcd.endpoint())));
            assertThat(content.get("one")).isEqualTo("x".repeat(rounds));
            assertThat(content.get("k").replace("y", "")).isEqualTo("x".repeat(rounds));
            assertThat(content.get("k").replace("x", "")).isEqualTo("y".repeat(rounds));
        }
    }

    // ---- the quorum

    @Test
    void withoutAQuorumCommitsFailAndSaySoAndWhenItIsThereAgainNothingIsLostOrDoubled() throws Exception {
        List<EtcdServer> members = EtcdServer.cluster(temp, 3);
        try {
            members.forEach(EtcdServer::start);
            URI[] endpoints = members.stream().map(EtcdServer::endpoint).toArray(URI[]::new);
            Journal patient = opened(clients.connect(endpoints));
            Journal hasty = opened(clients.connect(new EtcdSettings(
                    List.of(endpoints),
                    Optional.empty(),
                    Optional.empty(),
                    EtcdSettings.DEFAULT_PREFIX,
                    Duration.ofSeconds(20))));
            for (int i = 0; i < 10; i++) {
                String key = "before" + i;
                done((i % 2 == 0 ? patient : hasty).update(tx -> append(tx, key, "x")));
            }

            members.get(1).kill();
            done(hasty.update(tx -> append(tx, "with two of three", "x")));
            members.get(2).kill();
            List<CompletableFuture<Void>> failing = IntStream.range(0, 8)
                    .mapToObj(i -> written(hasty, "without" + i, i % 2 == 0))
                    .toList();
            List<CompletableFuture<Void>> waiting = IntStream.range(0, 8)
                    .mapToObj(i -> written(patient, "waited" + i, i % 2 == 0))
                    .toList();
            for (CompletableFuture<Void> commit : failing) {
                assertThat(Clients.failure(commit))
                        .isInstanceOfSatisfying(
                                JournalException.class,
                                e -> assertThat(e.kind()).isIn(ErrorKind.UNAVAILABLE, ErrorKind.DEADLINE_EXCEEDED))
                        // that it has no quorum, or as long as the last member has not noticed it, that it does not
                        // answer
                        .hasMessageContaining("more than half of its members");
            }
            assertThat(waiting).noneMatch(CompletableFuture::isDone);

            members.get(1).start();
            waiting.forEach(Clients::done);
            done(hasty.update(tx -> append(tx, "with two again", "x")));
            members.get(2).start();

            Map<String, String> content = new TreeMap<>(content(opened(clients.connect(endpoints))));
            // whether one of those that failed was written was not known
            content.keySet().removeIf(key -> key.startsWith("without") && "x".equals(content.get(key)));
            assertThat(content)
                    .hasSize(20)
                    .allSatisfy((key, value) -> assertThat(value).as(key).isEqualTo("x"));
            IntStream.range(0, 10).forEach(i -> assertThat(content).containsKey("before" + i));
            IntStream.range(0, 8).forEach(i -> assertThat(content).containsKey("waited" + i));
        } finally {
            clients.disconnect();
            members.forEach(EtcdServer::close);
        }
    }

    /** On a thread of its own: a transaction that reads blocks its caller. */
    private static CompletableFuture<Void> written(Journal journal, String key, boolean reads) {
        return CompletableFuture.supplyAsync(
                        () -> journal.update(tx -> {
                            if (reads) {
                                append(tx, key, "x");
                            } else {
                                tx.put(TABLE, key, "x");
                            }
                        }),
                        TestThreads.PER_TASK)
                .thenCompose(stage -> stage);
    }
}
