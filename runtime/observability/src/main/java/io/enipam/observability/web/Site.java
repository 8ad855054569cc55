package io.enipam.observability.web;

import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.observability.web.Page.Response;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages by their paths. Each lane is one thread with a short queue, so that a page that hangs blocks only that
 * thread, and a hanging scrape delays no probe. Thread-safe.
 */
public final class Site implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Site.class);
    private static final Duration IDLE = Duration.ofSeconds(30);

    /** The kind of a page: pages of one kind wait for each other. */
    public enum Lane {
        /** Takes milliseconds. */
        SCRAPES("web-scrape", 4),
        /** Takes less. */
        PROBES("web-probe", 16);

        private final String thread;
        private final int waiting;

        Lane(String thread, int waiting) {
            this.thread = thread;
            this.waiting = waiting;
        }

        private ThreadPoolExecutor open() {
            ThreadPoolExecutor pool = new ThreadPoolExecutor(
                    1,
                    1,
                    IDLE.toSeconds(),
                    TimeUnit.SECONDS,
                    new ArrayBlockingQueue<>(waiting),
                    DaemonThreads.named(thread));
            pool.allowCoreThreadTimeOut(true);
            return pool;
        }
    }

    /** A page that is created at its first request: on its lane's only thread, so once. */
    private static final class Place {
        private final Lane lane;
        private final Supplier<Page> maker;
        private Optional<Page> made = Optional.empty();

        private Place(Lane lane, Supplier<Page> maker) {
            this.lane = lane;
            this.maker = maker;
        }

        private Page page() {
            if (made.isEmpty()) {
                made = Optional.of(maker.get());
            }
            return made.get();
        }
    }

    private final Map<String, Place> places = new TreeMap<>();
    private final Map<Lane, ThreadPoolExecutor> threads =
            Map.of(Lane.SCRAPES, Lane.SCRAPES.open(), Lane.PROBES, Lane.PROBES.open());

    /** Adds a page; before the site is served. */
    public Site with(String path, Lane lane, Page page) {
        return withLate(path, lane, () -> page);
    }

    /** The same for a page that is created at its first request. */
    public Site withLate(String path, Lane lane, Supplier<Page> maker) {
        places.put(path, new Place(lane, maker));
        return this;
    }

    /** Answers a path, on a thread of its lane or at once. */
    void ask(String path, Page.Asked asked, Consumer<Response> reply) {
        Place place = places.get(path);
        if (place == null) {
            String there = String.join(" ", places.keySet()) + "\n";
            reply.accept(path.equals("/") ? Response.text(200, there) : Response.text(404, "there is " + there));
            return;
        }
        try {
            threads.get(place.lane).execute(() -> reply.accept(said(path, place, asked)));
        } catch (RejectedExecutionException e) {
            reply.accept(Response.text(503, "too many requests are waiting\n"));
        }
    }

    private static Response said(String path, Place place, Page.Asked asked) {
        try {
            return place.page().answer(asked);
        } catch (Exception | LinkageError e) {
            LOG.error("{} could not be answered; this is a bug of enipam", path, e);
            return Response.text(500, "this could not be answered; the log has the details\n");
        }
    }

    @Override
    public void close() {
        threads.values().forEach(ThreadPoolExecutor::shutdownNow);
    }
}
