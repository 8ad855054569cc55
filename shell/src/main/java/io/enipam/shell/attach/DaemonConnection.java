package io.enipam.shell.attach;

import io.enipam.v1.ControlGrpc;
import io.enipam.v1.ControlGrpc.ControlBlockingStub;
import io.enipam.v1.ControlGrpc.ControlStub;
import io.enipam.v1.InspectGrpc;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import io.grpc.ConnectivityState;
import io.grpc.Context;
import io.grpc.Context.CancellableContext;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.buffer.UnpooledByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.InternalLoggerFactory;
import io.grpc.netty.shaded.io.netty.util.internal.logging.JdkLoggerFactory;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A channel to one daemon, connected at the first call and again after the daemon restarted. Thread-safe. Every call has
 * a deadline, and ends when the {@link Context} it runs in is cancelled.
 */
public final class DaemonConnection implements AutoCloseable {
    /** The caller's name for itself, from another machine; the daemon identifies the socket's peer itself. */
    private static final Metadata.Key<String> CALLER =
            Metadata.Key.of("enipam-caller", Metadata.ASCII_STRING_MARSHALLER);

    static {
        // else netty takes slf4j, which is there for the client of the API server alone, and which is not configured
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    }

    private final DaemonRoute route;
    private final CallErrors errors;
    private final EventLoopGroup group;
    private ManagedChannel channel;

    private DaemonConnection(DaemonRoute route) {
        this.route = route;
        this.errors = new CallErrors(route);
        this.group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("enipam-io", true), NioIoHandler.newFactory());
        this.channel = channel();
    }

    private ManagedChannel channel() {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(route.socket()))
                .channelType(NioDomainSocketChannel.class)
                .eventLoopGroup(group)
                // a TCP option which gRPC sets on any channel, and on which netty warns for this kind
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                // of a pool's first chunk, four million zeros, a command would use little
                .withOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
                .overrideAuthority("localhost")
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(64 << 20);
        if (!route.caller().isEmpty()) {
            Metadata said = new Metadata();
            said.put(CALLER, route.caller());
            builder.intercept(MetadataUtils.newAttachHeadersInterceptor(said));
        }
        return builder.build();
    }

    /** Prepares to call a daemon, which the first call connects to; throws {@link ShellException} without a socket. */
    public static DaemonConnection open(Path socket) {
        return open(() -> socket);
    }

    public static DaemonConnection open(DaemonRoute route) {
        SocketPath.requireSocket(route.socket());
        return new DaemonConnection(route);
    }

    public Path socket() {
        return route.socket();
    }

    /** Asks for what does not change the daemon. Throws {@link ShellException} if the daemon refuses or is not there. */
    public <T> T inspect(Duration within, Function<InspectBlockingStub, T> call) {
        return translated(() -> call.apply(InspectGrpc.newBlockingStub(ready()).withDeadlineAfter(within)));
    }

    /**
     * Asks for a list that comes in parts, to be taken to the last unless the context is cancelled. {@code within} bounds
     * only the time in which the daemon is waited for. The iterator throws {@link ShellException}.
     */
    public <T> Iterator<T> stream(Duration within, Function<InspectBlockingStub, Iterator<T>> call) {
        return stream(within, call, (e, begun) -> translated(e));
    }

    /** The same for a list: the error of a daemon that goes away in the middle of it says that this is not all. */
    public <T> Iterator<T> list(Duration within, Function<InspectBlockingStub, Iterator<T>> call) {
        return stream(within, call, (e, begun) -> {
            RuntimeException known = translated(e);
            return begun && known instanceof ShellException cut ? cut.cut("in the middle of the list") : known;
        });
    }

    private <T> Iterator<T> stream(
            Duration within, Function<InspectBlockingStub, Iterator<T>> call, StreamedReply.Failure failure) {
        Supplier<Iterator<T>> begin = () -> call.apply(InspectGrpc.newBlockingStub(ready()));
        return translated(() -> new StreamedReply<>(within, this::later, System::nanoTime, failure, begin));
    }

    /** Asks for a change. Throws {@link ShellException} if the daemon refuses or is not there. */
    public <T> T control(Duration within, Function<ControlBlockingStub, T> call) {
        return translated(() -> call.apply(ControlGrpc.newBlockingStub(ready()).withDeadlineAfter(within)));
    }

    /** Sends the parts of a change as they are made, and throws what making one throws; else as {@link #control}. */
    public <Q, R> R upload(
            Duration within, BiConsumer<ControlStub, ClientResponseObserver<Q, R>> call, Iterator<Q> parts) {
        return translated(() -> {
            Upload<Q, R> upload = new Upload<>(parts);
            call.accept(ControlGrpc.newStub(ready()).withDeadlineAfter(within), upload);
            try {
                return upload.answer.join();
            } catch (CompletionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw e;
            }
        });
    }

    private Runnable later(long nanos, Runnable what) {
        try {
            Future<?> planned = group.schedule(what, nanos, TimeUnit.NANOSECONDS);
            return () -> planned.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {}; // the calls of a connection that was closed end at once
        }
    }

    /** A channel that connects now: after a failed connect gRPC refuses calls ever longer, but an operator waits. */
    private synchronized ManagedChannel ready() {
        if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.shutdownNow();
            channel = channel();
        }
        return channel;
    }

    private <T> T translated(Supplier<T> call) {
        try {
            return call.get();
        } catch (StatusRuntimeException e) {
            throw translated(e);
        }
    }

    private RuntimeException translated(RuntimeException e) {
        return e instanceof StatusRuntimeException status
                ? isMute(status) ? errors.mute(status) : errors.translate(status)
                : e;
    }

    /** Whether time ran out before the other side said a word: then it is no daemon, or one that hangs. */
    private synchronized boolean isMute(StatusRuntimeException e) {
        return e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED
                && channel.getState(false) == ConnectivityState.CONNECTING;
    }

    /** Ends all calls. Does not wait for the quiet period that netty has by default and that would delay every exit. */
    @Override
    public synchronized void close() {
        channel.shutdownNow();
        group.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
    }

    /** Sends parts as fast as the other side takes them, until it refuses or has all, and waits for the one answer. */
    private static final class Upload<Q, R> implements ClientResponseObserver<Q, R> {
        private final Iterator<Q> parts;
        private final CompletableFuture<R> answer = new CompletableFuture<>();
        private @Nullable R reply;
        private boolean sent;

        Upload(Iterator<Q> parts) {
            this.parts = parts;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<Q> to) {
            to.setOnReadyHandler(() -> pump(to));
        }

        private void pump(ClientCallStreamObserver<Q> to) {
            try {
                while (!sent && !answer.isDone() && to.isReady()) {
                    if (parts.hasNext()) {
                        to.onNext(parts.next());
                    } else {
                        sent = true;
                        to.onCompleted();
                    }
                }
            } catch (RuntimeException e) {
                // report the failed read, and not the cancellation that follows from it
                answer.completeExceptionally(e);
                to.cancel("the file cannot be read", e);
            }
        }

        @Override
        public void onNext(R message) {
            reply = message;
        }

        @Override
        public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            R message = reply;
            if (message == null) {
                answer.completeExceptionally(new IllegalStateException("the daemon ended the call without an answer"));
            } else {
                answer.complete(message);
            }
        }
    }

    /**
     * The parts of an answer as they arrive, until the last is taken or the context ends. Only the time counts in which
     * the daemon is waited for: an operator may read in the pager for an hour between two parts. For one thread.
     */
    static final class StreamedReply<T> implements Iterator<T> {
        /** Does something later, and returns what takes it back. Thread-safe. */
        interface Alarm {
            Runnable in(long nanos, Runnable what);
        }

        /** Makes the error for the operator of what the call throws; {@code begun} says that a part arrived before. */
        interface Failure {
            RuntimeException of(RuntimeException thrown, boolean begun);
        }

        private final CancellableContext context = Context.current().withCancellation();
        private final Alarm alarm;
        private final LongSupplier nanos;
        private final Iterator<T> parts;
        private final Failure failure;
        private long left;
        private boolean begun;

        /** @param within how long the daemon may be waited for in all; then {@code hasNext} fails as at a deadline */
        StreamedReply(Duration within, Alarm alarm, LongSupplier nanos, Failure failure, Supplier<Iterator<T>> call) {
            this.left = within.toNanos();
            this.alarm = alarm;
            this.nanos = nanos;
            this.failure = failure;
            Context outer = context.attach();
            try {
                this.parts = call.get();
            } finally {
                context.detach(outer);
            }
        }

        @Override
        public boolean hasNext() {
            long asked = nanos.getAsLong();
            Runnable late = () -> context.cancel(new TimeoutException("the daemon was waited for too long"));
            Runnable calm = alarm.in(Math.max(0, left), late);
            boolean more = false;
            try {
                more = parts.hasNext();
                begun |= more;
                return more;
            } catch (RuntimeException e) {
                throw failure.of(e, begun);
            } finally {
                calm.run();
                left -= nanos.getAsLong() - asked;
                if (!more) {
                    context.cancel(null);
                }
            }
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return parts.next();
        }
    }
}
