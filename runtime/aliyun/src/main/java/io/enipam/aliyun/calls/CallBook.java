package io.enipam.aliyun.calls;

import io.enipam.aliyun.api.CloudApi;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.TraceSink;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * The book of all calls of the cloud: what each API may still be asked, how it fared, and the last {@value #RING} calls. It
 * outlives the client, so that a client that is opened anew neither forgets a throttling nor the failure that closed the one
 * before. Thread-safe; {@code this} guards all of it, and no method blocks.
 */
public final class CallBook {
    /** How many calls are remembered. */
    public static final int RING = 256;

    /** The key, in {@code rate_limit}, of the limit of every API that has none of its own there. */
    public static final String EVERY_OTHER = "";

    private final TimeSource time;
    private final TraceSink traces;
    private final Map<CloudApi, ApiAccount> accounts = new EnumMap<>(CloudApi.class);
    private final Deque<CloudCall> ring = new ArrayDeque<>(RING);
    private final MetadataBook metadata;
    private long calls;

    /**
     * @param random keeps nodes from coming back in the same moment
     * @param perMinute calls a minute by the cloud's name of the API, each at least 1; what is not in it keeps its usual limit
     */
    public CallBook(TimeSource time, RandomGenerator random, Map<String, Integer> perMinute) {
        this(time, random, perMinute, TraceSink.NONE);
    }

    /** The same; each call's story is told to a sink. */
    public CallBook(TimeSource time, RandomGenerator random, Map<String, Integer> perMinute, TraceSink traces) {
        this.time = time;
        this.traces = traces;
        this.metadata = new MetadataBook(time);
        for (CloudApi api : CloudApi.values()) {
            accounts.put(
                    api, new ApiAccount(api.wire(), new MinuteLimit(api.wire(), limit(api, perMinute), time, random)));
        }
    }

    private static int limit(CloudApi api, Map<String, Integer> perMinute) {
        int usual = perMinute.getOrDefault(EVERY_OTHER, api.perMinute());
        return Math.max(1, perMinute.getOrDefault(api.wire(), usual));
    }

    /**
     * Other limits, from the next minute of the clock on.
     *
     * @param perMinute as at the beginning: what is not in it has its usual limit again
     */
    public synchronized void limits(Map<String, Integer> perMinute) {
        accounts.forEach((api, account) -> account.limit().limit(limit(api, perMinute)));
    }

    private ApiAccount account(CloudApi api) {
        ApiAccount account = accounts.get(api);
        if (account == null) {
            throw new IllegalStateException("every API has an account: " + api);
        }
        return account;
    }

    /** Where the stories of the calls are told. */
    public TraceSink traces() {
        return traces;
    }

    /** Asks whether an API may be called now. Who is granted it makes the call, and tells how it ended. */
    public synchronized Permission ask(CloudApi api) {
        return account(api).limit().ask();
    }

    /** Where the requests to the metadata service are counted. */
    public MetadataBook metadata() {
        return metadata;
    }

    /** A call was granted after it had waited this long for it. */
    public synchronized void waited(CloudApi api, Duration took) {
        account(api).waited(took);
    }

    /** How long every API took, in a fixed order. */
    public synchronized List<ApiTimes> times() {
        return Arrays.stream(CloudApi.values()).map(api -> account(api).times()).toList();
    }

    /** A call worked. */
    public synchronized void worked(CloudApi api, Permission.Granted permission, Duration took) {
        account(api).limit().served(permission.window());
        account(api).worked(took);
    }

    /** A call failed with a code, but was not throttled. */
    public synchronized void failed(CloudApi api, Permission.Granted permission, String code, Duration took) {
        account(api).limit().served(permission.window());
        account(api).failed(code, took);
    }

    /**
     * The cloud has throttled a call.
     *
     * @return what follows from it
     */
    public synchronized Throttling throttled(CloudApi api, Permission.Granted permission, String code, Duration took) {
        account(api).failed(code, took);
        account(api).throttled();
        return account(api).limit().throttled(permission.window());
    }

    /**
     * A call is over, with all its retries. Calls of one API that are held back one after another take one place in the ring:
     * they must not drive out what tells why.
     */
    public synchronized void ended(
            CloudApi api, String target, Duration took, String code, String requestId, int attempts) {
        if (attempts == 0) {
            lastOf(api)
                    .filter(last -> last.attempts() == 0 && last.code().equals(code))
                    .ifPresent(ring::remove);
        }
        if (ring.size() == RING) {
            ring.removeFirst();
        }
        calls++;
        ring.addLast(new CloudCall(calls, time.now(), api.wire(), target, took, code, requestId, attempts));
    }

    private Optional<CloudCall> lastOf(CloudApi api) {
        Iterator<CloudCall> latestFirst = ring.descendingIterator();
        while (latestFirst.hasNext()) {
            CloudCall call = latestFirst.next();
            if (call.api().equals(api.wire())) {
                return Optional.of(call);
            }
        }
        return Optional.empty();
    }

    /** The last calls, the latest first. */
    public synchronized List<CloudCall> calls() {
        List<CloudCall> latest = new ArrayList<>(ring);
        Collections.reverse(latest);
        return List.copyOf(latest);
    }

    /** One API. */
    public synchronized ApiBudget budget(CloudApi api) {
        return account(api).view();
    }

    /** Every API, in a fixed order. */
    public synchronized List<ApiBudget> budget() {
        return Arrays.stream(CloudApi.values()).map(api -> account(api).view()).toList();
    }
}
