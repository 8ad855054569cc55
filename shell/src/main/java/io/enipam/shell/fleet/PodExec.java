package io.enipam.shell.fleet;

import static io.enipam.shell.fleet.Cluster.ClusterErrors.failed;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.fleet.Cluster.ClusterErrors;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.WebSocket;
import io.fabric8.kubernetes.client.http.WebSocketHandshakeException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A command in a pod, over a WebSocket of {@code v4.channel.k8s.io}, which every API server since 1.4 speaks: the first byte of
 * a message says whether it is stdin, stdout, stderr or the end.
 *
 * <p>fabric8's own exec is for commands: it queues megabytes of input, and its streams want a thread each. Here the next message
 * is asked for when the last one is delivered, and the next is sent when the last one has left.
 *
 * @see <a href="https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.31/#pod-v1-core">Pod: the subresource exec</a>
 */
final class PodExec implements WebSocket.Listener {
    private static final String PROTOCOL = "v4.channel.k8s.io";
    private static final byte STDIN = 0;
    private static final byte STDOUT = 1;
    private static final byte STDERR = 2;
    private static final byte END = 3;
    private static final int NORMAL = 1000;

    /** For how long a connection may take until the relay runs. */
    private static final long START_MS = 8_000;

    /** For how long the other side may take nothing of what is sent. */
    private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long SHORT_NANOS = 50_000;
    private static final int LAST_LINES = 4 << 10;

    private final DaemonPod pod;
    private final Receiver end;
    private final StringBuilder stderr = new StringBuilder();
    private final AtomicBoolean told = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean closing;
    private volatile @Nullable WebSocket socket;

    private PodExec(DaemonPod pod, Receiver end) {
        this.pod = pod;
        this.end = end;
    }

    static PodExec start(
            KubernetesClient client, DaemonPod pod, List<String> command, ClusterErrors failures, Receiver end) {
        PodExec exec = new PodExec(pod, end);
        CompletableFuture<WebSocket> opening = client.getHttpClient()
                .newWebSocketBuilder()
                .uri(uri(client.getMasterUrl().toString(), pod, command))
                .subprotocol(PROTOCOL)
                .connectTimeout(START_MS, TimeUnit.MILLISECONDS)
                .buildAsync(exec);
        try {
            exec.socket = opening.get(START_MS, TimeUnit.MILLISECONDS);
            return exec;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw cause instanceof WebSocketHandshakeException refused
                    ? failures.exec(pod, refused.getResponse().code(), refused)
                    : failures.unreachable(cause);
        } catch (TimeoutException e) {
            opening.thenAccept(late -> late.sendClose(NORMAL, ""));
            throw failures.unreachable(new IOException("no answer to an exec within " + START_MS / 1000 + " s", e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            opening.thenAccept(late -> late.sendClose(NORMAL, ""));
            throw failures.unreachable(e);
        }
    }

    private static URI uri(String server, DaemonPod pod, List<String> command) {
        StringBuilder uri = new StringBuilder(server.endsWith("/") ? server : server + "/")
                .append("api/v1/namespaces/")
                .append(encoded(pod.namespace()))
                .append("/pods/")
                .append(encoded(pod.name()))
                .append("/exec?container=")
                .append(encoded(pod.container()));
        command.forEach(word -> uri.append("&command=").append(encoded(word)));
        return URI.create(uri.append("&stdin=true&stdout=true&stderr=true").toString());
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    /** Sends all of it, as fast as the other side takes it. For one thread. */
    void send(ByteBuffer bytes) throws IOException {
        WebSocket to = socket;
        if (to == null) {
            throw new IOException("not connected");
        }
        ByteBuffer message = ByteBuffer.allocate(bytes.remaining() + 1);
        message.put(STDIN).put(bytes).flip();
        long begun = System.nanoTime();
        // the JDK's client takes one message at a time, and says no as long as it has one
        while (to.queueSize() > 0 || !to.send(message.duplicate())) {
            if (ended) {
                throw new IOException("the relay has ended");
            }
            if (System.nanoTime() - begun > STUCK_NANOS) {
                throw new IOException("nothing was taken for " + STUCK_NANOS / 1_000_000_000 + " s");
            }
            LockSupport.parkNanos(SHORT_NANOS);
        }
    }

    @Override
    public void onMessage(WebSocket from, ByteBuffer message) {
        if (!message.hasRemaining()) {
            from.request();
            return;
        }
        byte channel = message.get();
        try {
            switch (channel) {
                case STDOUT -> {
                    if (message.hasRemaining()) {
                        end.received(message);
                    }
                }
                case STDERR -> heard(message);
                case END -> finish(from, verdict(UTF_8.decode(message).toString()));
                default -> heard(UTF_8.encode("a message of the unknown channel " + channel));
            }
        } catch (IOException readerGone) {
            close();
        }
        from.request();
    }

    private synchronized void heard(ByteBuffer message) {
        stderr.append(UTF_8.decode(message));
        if (stderr.length() > LAST_LINES) {
            stderr.delete(0, stderr.length() - LAST_LINES);
        }
    }

    /** What the relay said last, without its name. */
    private synchronized String said() {
        String last = stderr.toString()
                .lines()
                .filter(line -> !line.isBlank())
                .reduce("", (before, line) -> line)
                .strip();
        return last.startsWith("enipam relay: ") ? last.substring("enipam relay: ".length()) : last;
    }

    /** How the command ended: a Status, as the API has it for everything. */
    private Optional<ShellException> verdict(String json) {
        Status status;
        try {
            status = Serialization.unmarshal(json, Status.class);
        } catch (RuntimeException unreadable) {
            return Optional.of(broken("the API server ended it with: " + json));
        }
        if ("Success".equals(status.getStatus())) {
            return Optional.empty();
        }
        String said = said();
        if (!said.isEmpty()) {
            return Optional.of(failed("RELAY", "node " + pod.node() + ": " + said, ""));
        }
        String message = String.valueOf(status.getMessage());
        if (!message.contains("executable file not found") && !message.contains("no such file")) {
            return Optional.of(broken(message));
        }
        String where = "container " + pod.container() + " of pod " + pod.namespace() + "/" + pod.name();
        return Optional.of(failed(
                "NO_RELAY",
                where + " has no such command: " + message,
                "Name the relay in its image with --relay 'PATH relay'"));
    }

    private ShellException broken(String why) {
        String by = pod.node() + " by pod " + pod.namespace() + "/" + pod.name();
        String look = "kubectl -n " + pod.namespace() + " logs " + pod.name();
        return failed(
                "RELAY", "the connection to node " + by + " ended: " + why, "Try again, or look at the pod: " + look);
    }

    @Override
    public void onClose(WebSocket from, int code, String reason) {
        String why = reason.isEmpty() ? "closed with code " + code : reason;
        finish(from, closing || code == NORMAL ? Optional.empty() : Optional.of(broken(why)));
    }

    @Override
    public void onError(WebSocket from, Throwable failure) {
        finish(from, closing ? Optional.empty() : Optional.of(broken(ClusterErrors.reason(failure))));
    }

    private void finish(@Nullable WebSocket from, Optional<ShellException> trouble) {
        if (told.compareAndSet(false, true)) {
            end.ended(trouble);
            ended = true; // a send that fails for it finds the reason told
        }
        if (from != null) {
            from.sendClose(NORMAL, "");
        }
    }

    /** Ends it, and the relay with it. Any thread; again does nothing. */
    void close() {
        closing = true;
        finish(socket, Optional.empty());
    }

    /** What takes the answers of a relay. Called by one thread at a time, in order. */
    interface Receiver {
        /** Takes all of it before it returns: nothing more is read from the network meanwhile. */
        void received(ByteBuffer bytes) throws IOException;

        /** Nothing comes any more; called once, with the reason unless the daemon or this side simply ended it. */
        void ended(Optional<ShellException> trouble);
    }
}
