package io.enipam.aliyun.eni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateLockTest {
    private final StateLock turns = new StateLock() {
        @Override
        void settle() {}
    };

    @Test
    void aTurnThatFailsCarriesOutWhatItHadNotedAndTheNextOneOnlyItsOwn() {
        List<String> done = new ArrayList<>();
        assertThatThrownBy(() -> turns.change(() -> {
                    turns.defer(() -> done.add("the answer of a request"));
                    throw new IllegalStateException("a case that it does not know");
                }))
                .hasMessage("a case that it does not know");
        assertThat(done).as("nobody would answer it later").containsExactly("the answer of a request");
        turns.change(() -> turns.defer(() -> done.add("another")));
        assertThat(done).containsExactly("the answer of a request", "another");
    }
}
