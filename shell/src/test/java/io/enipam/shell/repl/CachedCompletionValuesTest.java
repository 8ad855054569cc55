package io.enipam.shell.repl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.repl.CompletionValues.CachedCompletionValues;
import io.enipam.shell.repl.CompletionValues.Value;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CachedCompletionValuesTest {
    private final ExecutorService background = Executors.newCachedThreadPool();
    private final AtomicReference<CompletionValues> source = new AtomicReference<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final CachedCompletionValues values = new CachedCompletionValues(
            (kind, before) -> {
                asked.incrementAndGet();
                return source.get().of(kind, before);
            },
            background,
            System::nanoTime);

    @AfterEach
    void stop() {
        background.shutdownNow();
    }

    private List<String> pods() {
        return values.of(CompletionKind.PODS, List.of()).stream()
                .map(Value::text)
                .toList();
    }

    private void awaitPods(String... texts) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(pods()).containsExactly(texts));
    }

    private static CompletionValues always(String text) {
        return (kind, before) -> List.of(new Value(text, ""));
    }

    @Test
    void whatACommandChangedIsSeenAtTheNextTab() {
        source.set(always("a"));
        awaitPods("a");
        source.set(always("b"));
        values.expire();

        awaitPods("b");
    }

    @Test
    void aDaemonThatHangsCostsAMomentAndWhatItSaidBeforeIsOffered() {
        source.set(always("a"));
        awaitPods("a");
        CountDownLatch never = new CountDownLatch(1);
        source.set((kind, before) -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of();
        });
        values.expire();
        int before = asked.get();

        assertThat(pods()).containsExactly("a");
        assertThat(pods()).containsExactly("a");

        await().atMost(Duration.ofSeconds(60))
                .untilAsserted(() ->
                        assertThat(asked.get()).as("only one question waits").isEqualTo(before + 1));
        never.countDown();
    }

    @Test
    void anAnswerThatComesLateIsThereTheNextTime() {
        CountDownLatch late = new CountDownLatch(1);
        source.set((kind, before) -> {
            try {
                late.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of(new Value("late", ""));
        });
        assertThat(pods()).isEmpty();

        late.countDown();

        awaitPods("late");
    }

    @Test
    void aDaemonThatIsGoneOffersWhatItSaidBeforeAndNeverThrows() {
        source.set((kind, before) -> {
            throw new ShellException(ExitStatus.NOT_ATTACHED, "", "gone", "");
        });
        assertThat(pods()).isEmpty();
        source.set(always("a"));
        awaitPods("a");
        source.set((kind, before) -> {
            throw new IllegalStateException("a bug");
        });
        values.expire();

        assertThat(pods()).containsExactly("a");
    }
}
