package io.enipam.aliyun.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.engine.simulation.VirtualTime;
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
class RamRoleCredentialsProviderTest {
    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private final Deque<Runnable> refreshes = new ArrayDeque<>();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile CloudCredentials given = keys("one", Duration.ofHours(6));
    private volatile Optional<CredentialsException> trouble = Optional.empty();
    private boolean atOnce = true;

    private final RamRoleCredentialsProvider role = new RamRoleCredentialsProvider(
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

    private static CloudCredentials keys(String id, Duration until) {
        return new CloudCredentials(id, "hush", Optional.of("token-" + id), Optional.of(Instant.EPOCH.plus(until)));
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
        time.advance(Duration.ofHours(6).minus(RamRoleCredentialsProvider.EARLY));
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
        time.advance(Duration.ofHours(6).minus(RamRoleCredentialsProvider.EARLY));
        for (int i = 0; i < 100; i++) {
            role.current();
        }
        assertThat(asked).hasValue(2);

        time.advance(RamRoleCredentialsProvider.AGAIN);
        role.current();
        assertThat(asked).hasValue(3);
    }

    @Test
    void aServiceThatIsAwayCostsNothingWhileTheOldKeysHold() {
        role.current();
        trouble = Optional.of(CredentialsException.transientFailure("the metadata service is away"));
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
        assertThat(role.refreshIfNewer(refused))
                .as("the service has the same ones")
                .isFalse();

        given = keys("two", Duration.ofHours(12));
        assertThat(role.refreshIfNewer(refused)).isTrue();
        int askedBefore = asked.get();
        assertThat(role.refreshIfNewer(refused))
                .as("the next one finds them there")
                .isTrue();
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
        RamRoleCredentialsProvider closing = new RamRoleCredentialsProvider(() -> given, time, task -> {
            throw new RejectedExecutionException();
        });

        assertThatThrownBy(closing::current)
                .isInstanceOf(CredentialsException.class)
                .hasMessageContaining("closing");
    }

    @Test
    void thirtyTwoCallersWithoutKeysCauseOneRefresh() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            RamRoleCredentialsProvider crowded = new RamRoleCredentialsProvider(
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
            List<Future<CloudCredentials>> callers = new ArrayList<>();
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

            for (Future<CloudCredentials> caller : callers) {
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
        assertThat(new CredentialsConfig.Fixed("LTAI5tSecretive", "hush").toString())
                .doesNotContain("hush", "LTAI5t");
    }
}
