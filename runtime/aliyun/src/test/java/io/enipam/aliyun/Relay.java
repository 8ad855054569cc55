package io.enipam.aliyun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Stands before a server and passes connections on, until it is closed: then nobody answers there. */
final class Relay implements AutoCloseable {
    private final ServerSocket door;
    private final InetSocketAddress behind;

    Relay(InetSocketAddress behind) {
        this.behind = behind;
        try {
            door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(door.getInetAddress(), door.getLocalPort());
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket caller = door.accept();
                Socket server = new Socket(behind.getAddress(), behind.getPort());
                start(() -> pipe(caller, server));
                start(() -> pipe(server, caller));
            } catch (IOException e) {
                // closed, or a caller that hung up: the next one is waited for
            }
        }
    }

    private static void pipe(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException e) {
            // one side has hung up: so does the other
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "test-relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
