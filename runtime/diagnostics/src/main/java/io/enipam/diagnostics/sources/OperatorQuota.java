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
 * The calls of the cloud that operators' queries may make: in any minute a tenth of what the node may ask an API, and six calls at
 * least. The rest is for pods, and so is the second half of what is allowed in a minute: however many queries there are, no ADD is
 * refused for them. Thread-safe; no call waits.
 */
public final class OperatorQuota {
    /** The least share of an API, calls a minute. */
    static final int LEAST = 6;

    private static final int PART = 10;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final TimeSource time;
    private final Function<CloudApi, Budget> budgets;

    /** When calls were taken, in nanoseconds, the oldest first. */
    @GuardedBy("this")
    private final Map<CloudApi, Deque<Long>> taken = new EnumMap<>(CloudApi.class);

    /**
     * What the whole node may ask of an API.
     *
     * @param allowed calls a minute
     * @param left of this minute
     */
    public record Budget(int allowed, int left) {}

    /** @param budgets what the whole node may ask now */
    public OperatorQuota(TimeSource time, Function<CloudApi, Budget> budgets) {
        this.time = time;
        this.budgets = budgets;
    }

    /**
     * Takes calls of an API that are made at once.
     *
     * @param calls at least 1, at most {@value #LEAST}
     * @throws IpamException TRY_AGAIN if the share of the last minute is used up, or the node itself has half of its calls left or
     *     fewer; nothing is taken then
     */
    public void take(CloudApi api, int calls) {
        Budget budget = budgets.apply(api);
        if (budget.left() - calls < budget.allowed() / 2) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "the node has no call of " + api.wireName() + " left for people in this minute",
                    "the next minute of the clock brings more");
        }
        int share = Math.max(LEAST, budget.allowed() / PART);
        synchronized (this) {
            long now = time.nanoTime();
            Deque<Long> last = taken.computeIfAbsent(api, first -> new ArrayDeque<>());
            while (!last.isEmpty() && now - last.peekFirst() >= MINUTE.toNanos()) {
                last.removeFirst();
            }
            int over = last.size() + calls - share;
            if (over > 0) {
                long free = last.stream().skip(over - 1L).findFirst().orElse(now) + MINUTE.toNanos();
                long seconds =
                        Math.max(1, Duration.ofNanos(free - now).plusMillis(999).toSeconds());
                throw new IpamException(
                        ErrorCode.TRY_AGAIN,
                        "asked too often; again in " + seconds + " s",
                        "people's looks have " + share + " calls of " + api.wireName()
                                + " a minute; the others are kept for pods");
            }
            for (int i = 0; i < calls; i++) {
                last.addLast(now);
            }
        }
    }
}
