package io.enipam.emulator.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.enipam.emulator.cloud.EmulatorException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP/1.1 server on one address, on the JDK's own. Calls run on a bounded number of threads, and beyond that are
 * cut off; a client that does not finish its request in time is cut off; an error in a handler ends that call alone. Thread-safe.
 */
public final class HttpEndpoint implements Endpoint {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
    private static final int THREADS = 2048;
    private static final int BACKLOG = 512;
    private static final long STOP_SECONDS = 10;

    static {
        // the JDK's server reads these once. Without the first, each answer waits 40 ms for the client's delayed ACK;
        // without the second, half a request holds a thread for ever (seconds); with a smaller third, a query that is
        // too long is cut off instead of answered (bytes)
        setUnlessSet("sun.net.httpserver.nodelay", "true");
        setUnlessSet("sun.net.httpserver.maxReqTime", "20");
        setUnlessSet("sun.net.httpserver.maxReqHeaderSize", "4194304");
        // so are too many headers
        setUnlessSet("sun.net.httpserver.maxReqHeaders", "20000");
        // a client that does not read its answer holds a thread no longer than that (seconds)
        setUnlessSet("sun.net.httpserver.maxRspTime", "900");
    }

    private final HttpServer server;
    private final ExecutorService threads;

    /** See {@link Endpoint#open}; these handlers see all of the exchange. */
    public HttpEndpoint(String name, InetSocketAddress listen, Function<HttpExchange, ? extends HttpReply> handler) {
        try {
            server = HttpServer.create(listen, BACKLOG);
        } catch (IOException taken) {
            throw new EmulatorException(
                    "cannot listen on " + listen + ": " + taken.getMessage() + "; choose another address", taken);
        }
        threads = Endpoint.threads(name, THREADS);
        server.setExecutor(threads);
        server.createContext("/", exchange -> serve(exchange, handler));
        server.start();
    }

    @Override
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** Closes the port and all connections, and waits until the threads are gone. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("calls were still running {} s after the server was closed", STOP_SECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void serve(HttpExchange exchange, Function<HttpExchange, ? extends HttpReply> handler)
            throws IOException {
        try (exchange) {
            handler.apply(exchange).send(exchange);
        } catch (IOException | UncheckedIOException gone) {
            LOG.debug("the client went away or the server is closing: {}", gone.toString());
            throw gone;
        } catch (RuntimeException bug) {
            LOG.error("a call failed: {}", exchange.getRequestURI().getPath(), bug);
            throw bug;
        }
    }

    private static void setUnlessSet(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
