package io.enipam.observability.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.LinkRequest;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.TimeSource;
import io.enipam.observability.history.Meters.FailedAdds;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** When failing ADDs make a node one that is not ready. */
class FailedAddsTest {
    private static final LinkRequest REAL = LinkRequest.into("/run/netns/a");

    private long nanos;
    private final FailedAdds adds = new FailedAdds(new TimeSource() {
        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }
    });

    private Optional<String> lasting() {
        return adds.series().filter(FailedAdds.Series::lasting).map(FailedAdds.Series::text);
    }

    @Test
    void threeFailuresOfTwoPodsAreToldAtOnceThoughTheyDoNotLastYet() {
        fail("web-0", ErrorCode.TRY_AGAIN, "No space left on device");
        fail("web-0", ErrorCode.TRY_AGAIN, "No space left on device");
        assertThat(adds.series()).isEmpty();
        pass(4);
        fail("web-1", ErrorCode.TRY_AGAIN, "No space left on device");

        assertThat(adds.series())
                .contains(new FailedAdds.Series(
                        Instant.EPOCH.minusSeconds(4),
                        false,
                        "every ADD of the last 4 s failed, 3 in a row, most with TRY_AGAIN: No space left on device"));
        pass(30);
        assertThat(adds.series()).as("nobody asks any more").isEmpty();
    }

    @Test
    void addsThatFindNoAddressAreToldByThePoolUntilTheyLast() {
        for (int i = 0; i < 4; i++) {
            fail("web-" + i, ErrorCode.POOL_EXHAUSTED, "no address");
        }
        assertThat(adds.series()).isEmpty();
    }

    @Test
    void aNodeOnWhichEveryAddHasFailedForAMinuteSaysWhyUntilOneWorks() {
        for (int i = 0; i < 6; i++) {
            fail("web-" + i % 2, ErrorCode.DATAPATH_FAILED, "no such device " + i);
            assertThat(lasting()).isEmpty();
            pass(11);
        }
        assertThat(lasting())
                .contains("every ADD of the last 66 s failed, 6 in a row, most with DATAPATH_FAILED: no such device 5");

        adds.ended(command("web-9", REAL), Optional.empty());
        assertThat(lasting()).isEmpty();
    }

    @Test
    void aSimulatedAddThatWorksEndsNothingForPodsThatAreConnected() {
        failForLong(ErrorCode.INTERNAL, 2);
        adds.ended(command("try-0", LinkRequest.simulated()), Optional.empty());
        assertThat(lasting()).isPresent();
    }

    @Test
    void onePodThatFailsAgainAndAgainSaysNothingOfTheNode() {
        failForLong(ErrorCode.DATAPATH_FAILED, 1);
        assertThat(lasting()).isEmpty();
    }

    @Test
    void callsThatAreWrongThemselvesSayNothingOfTheNode() {
        failForLong(ErrorCode.INVALID_ARGUMENT, 9);
        failForLong(ErrorCode.POD_GONE, 9);
        assertThat(lasting()).isEmpty();
    }

    @Test
    void aRuntimeThatStopsAskingIsLetInAgainAfterTwoMinutes() {
        failForLong(ErrorCode.CLOUD_FAILED, 9);
        assertThat(lasting()).isPresent();
        pass(111);
        assertThat(lasting()).isEmpty();
        fail("web-0", ErrorCode.CLOUD_FAILED, "again");
        assertThat(lasting()).as("a new row begins").isEmpty();
    }

    @Test
    void ofThousandsOfFailuresSomeAreKeptAndTheTimeOfTheFirst() {
        for (int i = 0; i < 1000; i++) {
            fail("web-" + i, ErrorCode.CLOUD_FAILED, "no");
            pass(1);
        }
        assertThat(lasting().orElseThrow()).contains("last 1000 s", "100 in a row");
    }

    private void failForLong(ErrorCode code, int pods) {
        for (int i = 0; i < 9; i++) {
            fail("web-" + i % pods, code, "no");
            pass(10);
        }
    }

    @Test
    void addsThatFailedWhileTheDatabaseWasFullDoNotKeepTheNodeUnreadyOnceItIsNot() {
        for (int i = 0; i < 10; i++) {
            fail("web-" + i, ErrorCode.STORE_FAILED, "no");
            pass(10);
        }
        assertThat(lasting()).isPresent();
        adds.explained();
        assertThat(lasting()).isEmpty();
    }

    private void fail(String pod, ErrorCode code, String message) {
        adds.ended(
                command(pod, REAL), Optional.of(new CompletionException(new IpamException(code, message, "do this"))));
    }

    private void pass(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }

    private static AddCommand command(String pod, LinkRequest link) {
        return new AddCommand(
                new OwnerKey("k8s", pod, "eth0"), new PodRef("default", pod), link, Duration.ofSeconds(5), "test");
    }
}
