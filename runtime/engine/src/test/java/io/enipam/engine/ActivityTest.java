package io.enipam.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.sdk.Activity;
import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActivityTest {
    private final List<Activity> seen = new ArrayList<>();

    @Test
    void whatWasLentAndReturnedIsInTheSnapshot() {
        EngineFixture node = EngineFixture.started(5, 2, 5);
        node.add("default/a", "c-a");
        node.add("default/b", "c-b");
        node.time.advance(Duration.ofSeconds(10));
        node.del("c-a");

        assertThat(node.engine.snapshot().activity().lent()).containsExactly(2, 0);
        assertThat(node.engine.snapshot().activity().returned()).containsExactly(0, 1);
    }

    @Test
    void aPolicySeesThatTimePassedThoughNothingHappened() {
        PoolPolicy watcher = new PoolPolicy() {
            @Override
            public String name() {
                return "watcher";
            }

            @Override
            public Target target(PoolSnapshot pool) {
                seen.add(pool.activity());
                return Target.between(1, 2);
            }
        };
        EngineFixture node = new EngineFixture(5, EngineFixture.config(1, 2, Duration.ZERO), watcher);
        node.start();
        int before = seen.get(seen.size() - 1).lent().size();

        node.time.advance(Duration.ofMinutes(4));

        assertThat(seen.get(seen.size() - 1).lent()).hasSizeGreaterThan(before + 20);
    }
}
