package io.enipam.etcd.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A network between a client and a server on this machine, which stops and goes on. While it is stopped, connections stay open and
 * nothing passes, as in a partition. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicReference<Loss> next = new AtomicReference<>(Loss.NOTHING);
    private boolean stopped; // by this

    private enum Loss {
        NOTHING,
        REQUEST,
        ANSWER
    }

    /** @param target a port of this machine */
    public TcpProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("proxy", this::accept);
    }

    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    public synchronized void stop() {
        stopped = true;
    }

    public synchronized void goOn() {
        stopped = false;
        notifyAll();
    }

    /** What the client sends next is lost, and its connection with it. */
    public void loseNextRequest() {
        next.set(Loss.REQUEST);
    }

    /** What the server sends next is lost, and its connection with it. */
    public void loseNextAnswer() {
        next.set(Loss.ANSWER);
    }

    /** How often something was lost. */
    public int lost() {
        return lost.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                sockets.add(client);
                connect(client);
            } catch (IOException e) { // this is closed
                sockets.removeIf(Socket::isClosed);
            }
        }
    }

    private void connect(Socket client) {
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(server);
            start("proxy-to", () -> pass(client, server, Loss.REQUEST));
            start("proxy-from", () -> pass(server, client, Loss.ANSWER));
        } catch (IOException e) { // the server is away
            sockets.remove(client);
            close(client);
        }
    }

    private void pass(Socket from, Socket to, Loss direction) {
        byte[] buffer = new byte[1 << 16];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                awaitPassage();
                if (next.compareAndSet(direction, Loss.NOTHING)) {
                    lost.incrementAndGet();
                    return;
                }
                out.write(buffer, 0, length);
            }
        } catch (IOException e) { // one side has gone, and the other one goes with it
            close(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private synchronized void awaitPassage() throws InterruptedException {
        while (stopped) {
            wait();
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        goOn();
        sockets.forEach(TcpProxy::close);
    }
}
