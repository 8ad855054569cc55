package io.enipam.shell.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.bundle.BundleCollector.BundleRedactor;
import io.enipam.shell.bundle.BundlePart.CollectedPart;
import io.enipam.shell.bundle.BundlePart.Failure;
import io.grpc.Context;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class BundleCollectorTest {
    private static final BundleCollector.Limits ROOMY =
            new BundleCollector.Limits(Duration.ofSeconds(60), Duration.ofSeconds(100), 1 << 20, 1 << 20);

    @Test
    void aPartThatFailsIsRecordedAndTheOthersGoOn() {
        List<CollectedPart> collected = collect(
                ROOMY,
                part("a", out -> {
                    throw new IllegalStateException("no luck, password=hunter2222");
                }),
                part("b", out -> Failure.absent("there is none")),
                part("c", out -> Failure.because("half of it")),
                writing("d", "fine"));

        assertThat(outcomes(collected)).isEqualTo("FAILED ABSENT FAILED OK");
        assertThat(collected.get(0).why()).contains("no luck").doesNotContain("hunter2222");
        assertThat(collected.get(3).text()).isEqualTo("fine");
    }

    @Test
    void aPartThatHangsIsLeftBehindWithWhatItHad() {
        CountDownLatch never = new CountDownLatch(1);
        BundleCollector.Limits hasty =
                new BundleCollector.Limits(Duration.ofSeconds(5), Duration.ofSeconds(100), 1 << 20, 1 << 20);

        List<CollectedPart> collected = collect(hasty, part("a.json", out -> {
            out.write("[1, 2".getBytes(StandardCharsets.UTF_8));
            never.await();
            return Failure.NONE;
        }));

        assertThat(outcomes(collected)).isEqualTo("TIMED_OUT");
        // a beginning of a document is no document
        assertThat(collected.get(0).file()).isEqualTo("a.json.cut");
        assertThat(collected.get(0).text()).isEqualTo("[1, 2");
    }

    @Test
    void aPartThatIsTooLongIsCutAndSaysSo() {
        BundleCollector.Limits narrow =
                new BundleCollector.Limits(Duration.ofSeconds(60), Duration.ofSeconds(100), 10, 1 << 20);

        List<CollectedPart> collected = collect(narrow, writing("a", "0123456789abc"), writing("b", "0123456789"));

        assertThat(collected.get(0).text()).isEqualTo("0123456789");
        assertThat(collected.get(0).cut()).isTrue();
        assertThat(collected.get(1).cut()).isFalse();
    }

    @Test
    void whenAllRoomIsUsedTheRestIsLeftOut() {
        BundleCollector.Limits narrow =
                new BundleCollector.Limits(Duration.ofSeconds(60), Duration.ofSeconds(100), 100, 5);

        assertThat(outcomes(collect(narrow, writing("a", "012345"), writing("b", "x"))))
                .isEqualTo("OK LEFT_OUT");
    }

    @Test
    void whoeverPressesCtrlCGetsNothing() {
        Context.CancellableContext context = Context.current().withCancellation();
        Context before = context.attach();
        try {
            assertThatThrownBy(() -> collect(ROOMY, part("a", out -> {
                        context.cancel(null);
                        return Failure.NONE;
                    })))
                    .isInstanceOf(ShellException.class)
                    .hasMessage("interrupted");
        } finally {
            context.detach(before);
        }
    }

    private static List<CollectedPart> collect(BundleCollector.Limits limits, BundlePart... parts) {
        return new BundleCollector(BundleRedactor.of(Map.of()), limits).collect(List.of(parts), (before, part) -> {});
    }

    private static BundlePart part(String file, BundlePart.Work work) {
        return new BundlePart(file, file, false, work);
    }

    private static BundlePart writing(String file, String text) {
        return part(file, out -> {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            return Failure.NONE;
        });
    }

    private static String outcomes(List<CollectedPart> collected) {
        return collected.stream().map(part -> part.outcome().name()).collect(Collectors.joining(" "));
    }
}
