package io.enipam.diagnostics.sources;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Function;

/**
 * How often people may have the cloud looked at: in any minute a tenth of what the node may ask an API, and six calls at least.
 * The rest is for pods, and so is the second half of what is allowed in a minute: however often somebody looks, an ADD is not
 * refused for it. Thread-safe; nobody waits.
 */
public final class PeoplesShare {
    /** The least share of an API, calls a minute. */
    static final int LEAST = 6;

    private static final int PART = 10;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TimeSource time;
    private final Function<CloudApi, Room> rooms;

    /** When calls were taken, in nanoseconds, the oldest first. */
    @GuardedBy("this")
    private final Map<CloudApi, Deque<Long>> taken = new EnumMap<>(CloudApi.class);

    /**
     * What the whole node may ask of an API.
     *
     * @param allowed calls a minute
     * @param left of this minute
     */
    public record Room(int allowed, int left) {}

    /** @param rooms what the whole node may ask now */
    public PeoplesShare(TimeSource time, Function<CloudApi, Room> rooms) {
        this.time = time;
        this.rooms = rooms;
    }

    /**
     * Takes calls of an API that are made at once.
     *
     * @param calls at least 1, at most {@value #LEAST}
     * @throws IpamException TRY_AGAIN if the share of the last minute is used up, or the node itself has half of its calls left or
     *     fewer; nothing is taken then
     */
    public void take(CloudApi api, int calls) {
        Room room = rooms.apply(api);
        if (room.left() - calls < room.allowed() / 2) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "the node has no call of " + api.wireName() + " left for people in this minute",
                    "the next minute of the clock brings more");
        }
        int share = Math.max(LEAST, room.allowed() / PART);
        synchronized (this) {
            long now = time.nanoTime();
            Deque<Long> last = taken.computeIfAbsent(api, first -> new ArrayDeque<>());
            while (!last.isEmpty() && now - last.peekFirst() >= MINUTE.toNanos()) {
                last.removeFirst();
            }
            int over = last.size() + calls - share;
            if (over > 0) {
                long free = last.stream().skip(over - 1L).findFirst().orElse(now) + MINUTE.toNanos();
                throw new IpamException(
                        ErrorCode.TRY_AGAIN,
                        "asked too often; again in "
                                + Math.max(
                                        1,
                                        Duration.ofNanos(free - now)
                                                .plusMillis(999)
                                                .toSeconds()) + " s",
                        "people's looks have " + share + " calls of " + api.wireName()
                                + " a minute; the others are kept for pods");
            }
            for (int i = 0; i < calls; i++) {
                last.addLast(now);
            }
        }
    }
}
