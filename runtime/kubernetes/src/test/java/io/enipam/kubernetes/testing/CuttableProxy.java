package io.enipam.kubernetes.testing;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A line to a server that a test can cut: connections break, and no new ones come to be until it is mended. */
public final class CuttableProxy implements AutoCloseable {
    private final ServerSocket door;
    private final int target;
    private final Set<Socket> ends = ConcurrentHashMap.newKeySet();
    private volatile boolean cut;
    private volatile int drops;
    private final AtomicInteger accepted = new AtomicInteger();

    /** @param target port of the server on this machine */
    public CuttableProxy(int target) throws IOException {
        this.target = target;
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        begin(this::accept);
    }

    /** Where to connect to. */
    public int port() {
        return door.getLocalPort();
    }

    /** How many connections came to be so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Breaks every connection, and lets none come to be until it is mended; returns when none is left. */
    public void cut() {
        cut = true;
        drop();
        await("no connection is left").atMost(Duration.ofMinutes(1)).until(ends::isEmpty);
    }

    public void mend() {
        cut = false;
    }

    /** Breaks every connection, also one that is just being made; new ones may come at once. */
    public synchronized void drop() {
        drops++;
        ends.forEach(CuttableProxy::shut);
    }

    private synchronized boolean joined(Socket near, Socket far, int dropsBefore) {
        return !cut && drops == dropsBefore && ends.add(near) && ends.add(far);
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket near = door.accept();
                int dropsBefore = drops;
                if (cut) {
                    shut(near);
                    continue;
                }
                Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
                if (!joined(near, far, dropsBefore)) {
                    shut(near);
                    shut(far);
                    continue;
                }
                accepted.incrementAndGet();
                begin(() -> copy(near, far));
                begin(() -> copy(far, near));
            } catch (IOException e) {
                if (!door.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void copy(Socket from, Socket to) {
        try (InputStream in = from.getInputStream()) {
            in.transferTo(to.getOutputStream());
        } catch (IOException e) {
            // the line was cut: both ends shall know
            shut(to);
        } finally {
            shut(from);
            shut(to);
            ends.remove(from);
            ends.remove(to);
        }
    }

    private static void begin(Runnable work) {
        Thread thread = new Thread(work, "line");
        thread.setDaemon(true);
        thread.start();
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        drop();
    }
}
