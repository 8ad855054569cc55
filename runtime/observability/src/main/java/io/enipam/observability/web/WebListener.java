package io.enipam.observability.web;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.config.ListenAddress;
import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.port.EventSink;
import io.enipam.observability.web.WebServer.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Keeps a site on its port. A port that is taken, or an address that is absent, is reported once and retried, and
 * blocks nothing else. Thread-safe; {@code this} guards all fields.
 */
public final class WebListener implements AutoCloseable {
    private static final String SUBJECT = "metrics";
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final ListenAddress address;
    private final Supplier<Site> pages;
    private final EventSink events;
    private final ScheduledExecutorService threads;
    private final Backoff backoff;

    @GuardedBy("this")
    private Optional<Site> site = Optional.empty();

    @GuardedBy("this")
    private Optional<WebServer> server = Optional.empty();

    @GuardedBy("this")
    private int failures;

    @GuardedBy("this")
    private String told = "";

    @GuardedBy("this")
    private boolean closed;

    /**
     * @param pages makes the site when the port is first opened; closed with the listener
     * @param threads open the port, and may wait for a name's resolution
     */
    public WebListener(
            ListenAddress address, Supplier<Site> pages, EventSink events, ScheduledExecutorService threads) {
        this(address, pages, events, threads, Duration.ofSeconds(1));
    }

    WebListener(
            ListenAddress address,
            Supplier<Site> pages,
            EventSink events,
            ScheduledExecutorService threads,
            Duration first) {
        this.address = address;
        this.pages = pages;
        this.events = events;
        this.threads = threads;
        this.backoff = Backoff.doubling(first, LONGEST).spread(0.2);
    }

    /** Begins to try; returns at once. */
    public WebListener begin() {
        later(Duration.ZERO);
        return this;
    }

    /** The address it serves; empty while it does not. */
    public synchronized Optional<InetSocketAddress> serving() {
        return server.map(WebServer::address);
    }

    private void later(Duration delay) {
        try {
            threads.schedule(this::tryOnce, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            // the daemon is closing, and so is this listener
        }
    }

    private void tryOnce() {
        try {
            // outside of the lock: a name server may be slow
            open(resolved());
        } catch (IOException | RuntimeException e) {
            again(String.valueOf(e.getMessage()));
        }
    }

    private synchronized void open(InetSocketAddress at) throws IOException {
        if (closed) {
            return;
        }
        if (site.isEmpty()) {
            site = Optional.of(pages.get());
        }
        WebServer open = WebServer.open(at, site.get(), Limits.usual());
        server = Optional.of(open);
        events.info("MetricsServed", SUBJECT, "metrics and health are served on http://" + shown(open.address()));
    }

    private synchronized void again(String why) {
        if (closed) {
            return;
        }
        if (!why.equals(told)) {
            told = why;
            events.warning(
                    "MetricsNotServed",
                    SUBJECT,
                    "metrics.listen " + address + " cannot be served: " + why
                            + "; it is tried again, and the daemon goes on without");
        }
        // jitter, so that daemons that wait for one port do not all retry at once
        failures++;
        later(backoff.pause(failures, ThreadLocalRandom.current()));
    }

    private InetSocketAddress resolved() throws UnknownHostException {
        if (address.host().isEmpty()) {
            return new InetSocketAddress(address.port());
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(address.host()), address.port());
        } catch (UnknownHostException e) {
            throw (UnknownHostException)
                    new UnknownHostException("the name " + address.host() + " has no address").initCause(e);
        }
    }

    private static String shown(InetSocketAddress at) {
        return new ListenAddress(at.getAddress().getHostAddress(), at.getPort()).toString();
    }

    @Override
    public void close() {
        Optional<WebServer> open;
        Optional<Site> served;
        synchronized (this) {
            closed = true;
            open = server;
            served = site;
            server = Optional.empty();
        }
        open.ifPresent(WebServer::close);
        served.ifPresent(Site::close);
    }
}
