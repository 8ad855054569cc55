package io.enipam.kubernetes.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a sink hears that is slower than the changes, or fails. */
class KeyFeedTest {
    private final Queue<Runnable> threads = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private final KeyFeed feed = new KeyFeed(
            new Source.Sink() {
                @Override
                public void changed(String key) {
                    told.add(key);
                    if (key.equals("bad")) {
                        throw new AssertionError("this sink takes no such key");
                    }
                }

                @Override
                public void synced() {
                    told.add("synced");
                }

                @Override
                public void lost(String why) {
                    told.add("lost: " + why);
                }
            },
            threads::add);

    private void run() {
        for (Runnable next = threads.poll(); next != null; next = threads.poll()) {
            next.run();
        }
    }

    @Test
    void aKeyThatWaitsIsToldOnceAndTheEndComesAfterAll() {
        feed.changed("one");
        feed.changed("one");
        feed.sync(Stream.of("one", "two"));
        assertThat(threads).hasSize(1);
        run();
        assertThat(told).containsExactly("one", "two", "synced");
    }

    @Test
    void aSinkThatFailsAtAKeyHearsOfTheNextOnes() {
        feed.changed("bad");
        feed.changed("good");
        run();
        feed.changed("later");
        run();
        assertThat(told).containsExactly("bad", "good", "later");
    }

    @Test
    void nothingIsToldAfterTheLoss() {
        feed.changed("one");
        feed.lost("the watch is gone");
        feed.changed("two");
        run();
        feed.changed("three");
        run();
        assertThat(told).containsExactly("lost: the watch is gone");
    }
}
