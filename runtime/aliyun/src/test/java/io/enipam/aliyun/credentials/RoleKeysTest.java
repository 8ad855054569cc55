package io.enipam.aliyun.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RoleKeysTest {
    private final VirtualTime time = new VirtualTime();
    private final Deque<Runnable> refreshes = new ArrayDeque<>();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile Keys given = keys("one", Duration.ofHours(6));
    private volatile Optional<KeysException> trouble = Optional.empty();
    private boolean atOnce = true;

    private final RoleKeys role = new RoleKeys(
            () -> {
                asked.incrementAndGet();
                trouble.ifPresent(e -> {
                    throw e;
                });
                return given;
            },
            time,
            task -> {
                if (atOnce) {
                    task.run();
                } else {
                    refreshes.add(task);
                }
            });

    private static Keys keys(String id, Duration until) {
        return new Keys(id, "hush", Optional.of("token-" + id), Optional.of(Instant.EPOCH.plus(until)));
    }

    @Test
    void theFirstCallerWaitsForTheFirstKeysAndTheNextOnesAskNobody() {
        assertThat(role.current().accessKeyId()).isEqualTo("one");
        assertThat(role.current().securityToken()).contains("token-one");

        assertThat(asked).hasValue(1);
    }

    @Test
    void keysAreRefreshedEarlyAndMeanwhileNobodyWaits() {
        role.current();
        atOnce = false;
        time.advance(Duration.ofHours(6).minus(RoleKeys.EARLY));
        given = keys("two", Duration.ofHours(12));

        assertThat(role.current().accessKeyId()).isEqualTo("one");
        assertThat(role.current().accessKeyId()).isEqualTo("one");
        assertThat(refreshes).as("one refresher").hasSize(1);

        refreshes.remove().run();
        assertThat(role.current().accessKeyId()).isEqualTo("two");
        assertThat(asked).hasValue(2);
    }

    @Test
    void aServiceThatHasNoNewerKeysYetIsAskedEveryHalfMinuteAndNotAtEachCall() {
        role.current();
        time.advance(Duration.ofHours(6).minus(RoleKeys.EARLY));
        for (int i = 0; i < 100; i++) {
            role.current();
        }
        assertThat(asked).hasValue(2);

        time.advance(RoleKeys.AGAIN);
        role.current();
        assertThat(asked).hasValue(3);
    }

    @Test
    void aServiceThatIsAwayCostsNothingWhileTheOldKeysHold() {
        role.current();
        trouble = Optional.of(KeysException.passing("the metadata service is away"));
        time.advance(Duration.ofHours(6).minusSeconds(1));
        assertThat(role.current().accessKeyId()).isEqualTo("one");

        time.advance(Duration.ofSeconds(1));
        assertThatThrownBy(role::current).hasMessage("the metadata service is away");

        trouble = Optional.empty();
        given = keys("two", Duration.ofHours(12));
        assertThat(role.current().accessKeyId()).isEqualTo("two");
    }

    @Test
    void keysTheCloudRefusesAreReplacedByNewerOnesIfThereAreAny() {
        role.current();
        long refused = role.generation();
        assertThat(role.newerThan(refused)).as("the service has the same ones").isFalse();

        given = keys("two", Duration.ofHours(12));
        assertThat(role.newerThan(refused)).isTrue();
        int askedBefore = asked.get();
        assertThat(role.newerThan(refused)).as("the next one finds them there").isTrue();
        assertThat(asked).hasValue(askedBefore);
        assertThat(role.current().accessKeyId()).isEqualTo("two");
    }

    @Test
    void keysThatHaveExpiredAlreadyAreNotTaken() {
        given = keys("old", Duration.ZERO);

        assertThatThrownBy(role::current)
                .hasMessageContaining("expired")
                .hasMessageContaining("check this node's clock");
    }

    @Test
    void aClientThatClosesIsToldSo() {
        RoleKeys closing = new RoleKeys(() -> given, time, task -> {
            throw new RejectedExecutionException();
        });

        assertThatThrownBy(closing::current).isInstanceOf(KeysException.class).hasMessageContaining("closing");
    }

    @Test
    void thirtyTwoCallersWithoutKeysCauseOneRefresh() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            RoleKeys crowded = new RoleKeys(
                    () -> {
                        calls.incrementAndGet();
                        try {
                            answer.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                        return given;
                    },
                    time,
                    threads);
            List<Future<Keys>> callers = new ArrayList<>();
            CountDownLatch begun = new CountDownLatch(32);
            for (int i = 0; i < 32; i++) {
                callers.add(threads.submit(() -> {
                    begun.countDown();
                    return crowded.current();
                }));
            }
            begun.await();
            await().atMost(Duration.ofSeconds(30)).until(() -> calls.get() == 1);
            answer.countDown();

            for (Future<Keys> caller : callers) {
                assertThat(caller.get(30, TimeUnit.SECONDS).accessKeyId()).isEqualTo("one");
            }
            assertThat(calls).hasValue(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void noKeyShowsItsSecretsWhenItIsPrinted() {
        assertThat(keys("LTAI5tSecretive", Duration.ofHours(1)).toString())
                .contains("LTAI***")
                .doesNotContain("hush", "token-", "Secretive");
        assertThat(new CredentialChoice.Fixed("LTAI5tSecretive", "hush").toString())
                .doesNotContain("hush", "LTAI5t");
    }
}
