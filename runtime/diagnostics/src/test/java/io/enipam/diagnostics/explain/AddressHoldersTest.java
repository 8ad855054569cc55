package io.enipam.diagnostics.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.diagnostics.explain.Explainer.AddressHolders;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.OperatorQuota.Budget;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.simulation.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Questions of people for addresses that are not this node's: one at a time, few, and none twice in a short time. */
class AddressHoldersTest {
    private final VirtualTime time = new VirtualTime();
    private final AddressHolders holders = new AddressHolders(new OperatorQuota(time, api -> new Budget(10, 10)), time);
    private final List<String> asked = new ArrayList<>();
    private CompletableFuture<List<CloudInspector.ObservedEni>> answer = CompletableFuture.completedFuture(List.of());

    private final CloudInspector witness = new CloudInspector() {
        @Override
        public CompletionStage<CloudState> inspect() {
            throw new IllegalStateException("nobody asks for that");
        }

        @Override
        public CompletionStage<List<ObservedEni>> holders(String vswitch, List<String> ips) {
            asked.addAll(ips);
            return answer;
        }
    };

    private CompletableFuture<List<CloudInspector.ObservedEni>> ask(String ip) {
        return holders.of(witness, "vsw-a", ip);
    }

    @Test
    void anAddressIsAskedForOnceInHalfAMinute() {
        ask("10.0.0.1").join();
        ask("10.0.0.1").join();
        assertThat(asked).containsExactly("10.0.0.1");

        time.advance(Duration.ofSeconds(31));
        ask("10.0.0.1").join();
        assertThat(asked).hasSize(2);
    }

    @Test
    void whileOneQuestionIsOutNoOtherIsPutAndTheSameIsJoined() {
        answer = new CompletableFuture<>();
        CompletableFuture<?> first = ask("10.0.0.1");
        CompletableFuture<?> same = ask("10.0.0.1");

        assertThatThrownBy(() -> ask("10.0.0.2").join()).hasMessageContaining("asked too often; again in a moment");
        assertThat(asked).containsExactly("10.0.0.1");
        answer.complete(List.of());
        assertThat(first).isCompleted();
        assertThat(same).isCompleted();
        assertThat(ask("10.0.0.2")).isCompleted();
    }

    @Test
    void aScanOfAddressesIsRefusedWhenTheShareIsUsedUp() {
        for (int i = 1; i <= 6; i++) {
            ask("10.0.0." + i).join();
        }

        assertThatThrownBy(() -> ask("10.0.0.7").join()).hasMessageContaining("asked too often; again in 60 s");
        assertThat(asked).hasSize(6);
    }

    @Test
    void aFailureIsNotKept() {
        answer = CompletableFuture.failedFuture(new IllegalStateException("away"));
        assertThatThrownBy(() -> ask("10.0.0.1").join()).hasMessageContaining("away");

        answer = CompletableFuture.completedFuture(List.of());
        assertThat(ask("10.0.0.1").join()).isEmpty();
    }

    @Test
    void anErrorOfTheProgramLeavesNoQuestionOpen() {
        CloudInspector broken = new CloudInspector() {
            @Override
            public CompletionStage<CloudState> inspect() {
                throw new IllegalStateException("nobody asks for that");
            }

            @Override
            public CompletionStage<List<ObservedEni>> holders(String vswitch, List<String> ips) {
                throw new AssertionError("cannot be");
            }
        };

        assertThatThrownBy(() -> holders.of(broken, "vsw-a", "10.0.0.1").join()).hasRootCauseMessage("cannot be");

        assertThat(ask("10.0.0.2").join()).isEmpty();
    }
}
