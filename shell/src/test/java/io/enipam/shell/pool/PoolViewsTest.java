package io.enipam.shell.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolOrder;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class PoolViewsTest {
    private static final RenderContext PLAIN = new RenderContext(Palette.PLAIN, Instant.EPOCH, ZoneOffset.UTC, true);

    private static String words(int asked) {
        return PoolViews.override(
                Pool.newBuilder()
                        .setCapacity(50)
                        .setCounts(PoolCounts.newBuilder()
                                .setIdle(3)
                                .setInUse(4)
                                .setCooling(1)
                                .build())
                        .setOrder(PoolOrder.newBuilder()
                                .setKind("WARM")
                                .setIdle(asked)
                                .setUntil(Timestamp.newBuilder().setSeconds(60)))
                        .build(),
                PLAIN);
    }

    @Test
    void anOrderForMoreThanFitsTellsHowManyThereIsRoomFor() {
        assertThat(words(1000)).startsWith("warm: keeps 1000 idle for").endsWith("but there is room for 45");
        assertThat(words(45)).startsWith("warm: keeps 45 idle for").doesNotContain("room");
    }
}
