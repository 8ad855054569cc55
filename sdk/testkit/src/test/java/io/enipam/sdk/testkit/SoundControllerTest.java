package io.enipam.sdk.testkit;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.enipam.sdk.Source;
import java.util.List;
import java.util.stream.Stream;

/** The contract holds for a controller that keeps it, also for one that tells what is no key and knows what is thrown then. */
class SoundControllerTest extends FlawedControllers.Flawed {
    SoundControllerTest() {
        super((host, world) -> new FlawedControllers.Sound(host, world) {
            @Override
            public List<Source> watches() {
                return Stream.concat(super.watches().stream(), Stream.of(new Malformed()))
                        .toList();
            }
        });
    }

    private static final class Malformed implements Source {
        @Override
        public String name() {
            return "malformed";
        }

        @Override
        public AutoCloseable open(Sink sink) {
            assertThatIllegalArgumentException().isThrownBy(() -> sink.changed("two\nlines"));
            sink.synced();
            return () -> {};
        }
    }
}
