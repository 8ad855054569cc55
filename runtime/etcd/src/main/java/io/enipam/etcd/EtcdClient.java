package io.enipam.etcd;

import io.enipam.engine.concurrent.Backoff;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.port.Scheduler;
import io.enipam.engine.port.TimeSource;
import io.enipam.etcd.EtcdFailure.Reaction;
import io.enipam.etcd.EtcdSettings.Tls;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Calls of etcd's members, each with a deadline. One that fails without an answer is repeated with a backoff at the next member,
 * until the patience of the settings is over; {@link EtcdFailure} is the table of which. A call may therefore be carried out
 * more than once. Every call asks for a member that knows a leader. Thread-safe; answers come on a thread of
 * gRPC's connections, which nothing may block.
 */
final class EtcdClient implements AutoCloseable {
    private static final Backoff PAUSES =
            Backoff.doubling(Duration.ofMillis(20), Duration.ofSeconds(1)).spread(0.5);
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);
    private static final Metadata.Key<String> TOKEN = Metadata.Key.of("token", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> HAS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);
    /** A page of {@link EtcdRows} with the longest keys and values. */
    private static final int LARGEST_ANSWER = 64 << 20;

    private final EtcdSettings settings;
    private final Scheduler scheduler;
    private final TimeSource time;
    private final RandomGenerator random; // by itself
    private final List<Member> members;
    private final AtomicInteger current = new AtomicInteger();
    private @Nullable CompletableFuture<String> token; // by this
    private volatile boolean closed;

    /** One member of etcd; its channel connects at the first call. */
    record Member(URI endpoint, ManagedChannel channel) {}

    /**
     * An answer.
     *
     * @param request the one that it answers
     * @param uncertain whether an earlier try may have been carried out, too
     */
    record Answer<Q, A>(Q request, A response, boolean uncertain) {}

    /** @throws JournalException {@link ErrorKind#MISCONFIGURED} if a file of the settings cannot be read */
    EtcdClient(EtcdSettings settings, Scheduler scheduler, TimeSource time, RandomGenerator random) {
        this.settings = settings;
        this.scheduler = scheduler;
        this.time = time;
        this.random = random;
        ChannelCredentials credentials = credentials(settings);
        this.members = settings.endpoints().stream()
                .map(endpoint -> new Member(
                        endpoint,
                        Grpc.newChannelBuilderForAddress(endpoint.getHost(), EtcdSettings.port(endpoint), credentials)
                                .maxInboundMessageSize(LARGEST_ANSWER)
                                .directExecutor() // what follows an answer here is short, or goes to another thread
                                .keepAliveTime(30, TimeUnit.SECONDS)
                                .keepAliveTimeout(10, TimeUnit.SECONDS)
                                .build()))
                .toList();
    }

    private static ChannelCredentials credentials(EtcdSettings settings) {
        if ("http".equals(settings.endpoints().get(0).getScheme())) {
            return InsecureChannelCredentials.create();
        }
        TlsChannelCredentials.Builder credentials = TlsChannelCredentials.newBuilder();
        try {
            Optional<Tls> tls = settings.tls();
            if (tls.flatMap(Tls::authorities).isPresent()) {
                credentials.trustManager(tls.flatMap(Tls::authorities).get().toFile());
            }
            if (tls.flatMap(Tls::certificate).isPresent()) {
                EtcdSettings.ClientCertificate own =
                        tls.flatMap(Tls::certificate).get();
                credentials.keyManager(own.chain().toFile(), own.key().toFile());
            }
            return credentials.build();
        } catch (IOException | IllegalArgumentException e) {
            throw new JournalException(
                    ErrorKind.MISCONFIGURED, "the files for TLS with etcd cannot be used: " + e.getMessage(), e);
        }
    }

    /** In which every call has ended, unless this client's timers have. */
    Duration longestWait() {
        return settings.patience().plus(LONGEST_CALL.multipliedBy(2));
    }

    Duration patience() {
        return settings.patience();
    }

    List<Member> members() {
        return members;
    }

    /** The endpoints, for messages. */
    String where() {
        return EtcdFailure.where(settings.endpoints());
    }

    /** What a plugin gets of a call that failed, as {@link EtcdFailure#exception}. */
    EtcdException exception(EtcdFailure failure, Throwable error, boolean uncertain) {
        return failure.exception(settings.endpoints(), error, uncertain);
    }

    <Q, A> CompletableFuture<Answer<Q, A>> call(MethodDescriptor<Q, A> method, Q request) {
        return callAnew(method, () -> request);
    }

    /** The same with a request of its own for each try. */
    <Q, A> CompletableFuture<Answer<Q, A>> callAnew(MethodDescriptor<Q, A> method, Supplier<Q> requests) {
        Call<Q, A> call = new Call<>(method, requests);
        call.attempt();
        return call.answer;
    }

    /** One try at one member, without the pauses; with a token if there is a user. */
    <Q, A> CompletableFuture<A> once(Member member, MethodDescriptor<Q, A> method, Q request) {
        return token(member).thenCompose(current -> unary(member, method, request, current));
    }

    /** The number of the member that calls go to. */
    int current() {
        return current.get();
    }

    /**
     * Opens a stream at a member, and sends one request; once. Whatever goes wrong is an error of the observer's, and {@link
     * #pauseAfter} says what follows.
     */
    <Q, A> void stream(int at, MethodDescriptor<Q, A> method, Q request, ClientResponseObserver<Q, A> observer) {
        Member member = members.get(at);
        // else gRPC answers by itself that the member was away, for up to two minutes
        member.channel().resetConnectBackoff();
        token(member).whenComplete((user, error) -> {
            if (error != null) {
                observer.onError(Stages.cause(error));
            } else {
                ClientCalls.asyncBidiStreamingCall(channel(member, user).newCall(method, CallOptions.DEFAULT), observer)
                        .onNext(request);
            }
        });
    }

    /**
     * How long to wait after a stream has failed, before it is opened again at the current member, which is another one then.
     *
     * @param at the member that it failed at
     * @param tries that failed in a row, from 1
     * @return empty if that would not help
     */
    Optional<Duration> pauseAfter(int at, Throwable error, int tries) {
        Reaction reaction = EtcdFailure.of(error).reaction();
        if (closed
                || reaction == Reaction.FAIL
                || reaction == Reaction.LOG_IN && settings.user().isEmpty()) {
            return Optional.empty();
        }
        if (reaction == Reaction.LOG_IN) {
            forgetToken();
        } else {
            current.compareAndSet(at, (at + 1) % members.size());
        }
        return Optional.of(pause(tries));
    }

    private Channel channel(Member member, String token) {
        Metadata headers = new Metadata();
        headers.put(HAS_LEADER, "true");
        if (!token.isEmpty()) {
            headers.put(TOKEN, token);
        }
        return ClientInterceptors.intercept(member.channel(), MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    private <Q, A> CompletableFuture<A> unary(Member member, MethodDescriptor<Q, A> method, Q request, String token) {
        long millis = Math.min(
                LONGEST_CALL.toMillis(), Math.max(500, settings.patience().toMillis() / 3));
        CompletableFuture<A> answer = new CompletableFuture<>();
        ClientCalls.asyncUnaryCall(
                channel(member, token)
                        .newCall(method, CallOptions.DEFAULT.withDeadlineAfter(millis, TimeUnit.MILLISECONDS)),
                request,
                new Observer<>(answer));
        return answer;
    }

    /** Completes a future with the one answer of a call. */
    private record Observer<A>(CompletableFuture<A> answer) implements StreamObserver<A> {
        @Override
        public void onNext(A response) {
            answer.complete(response);
        }

        @Override
        public void onError(Throwable error) {
            answer.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            // the answer has come before
        }
    }

    // ---- the user's token

    /** Empty text where there is no user, or where etcd's authentication is off. */
    private synchronized CompletableFuture<String> token(Member member) {
        if (settings.user().isEmpty()) {
            return CompletableFuture.completedFuture("");
        }
        if (token == null || token.isCompletedExceptionally()) {
            EtcdSettings.User user = settings.user().get();
            AuthenticateRequest request = AuthenticateRequest.newBuilder()
                    .setName(user.name())
                    .setPassword(user.password())
                    .build();
            token = unary(member, AuthGrpc.getAuthenticateMethod(), request, "")
                    .handle((response, error) -> token(response, error));
        }
        return token;
    }

    private static String token(@Nullable AuthenticateResponse response, @Nullable Throwable error) {
        if (response != null) {
            return response.getToken();
        }
        if (Status.fromThrowable(error).getCode() == Status.Code.FAILED_PRECONDITION) {
            return ""; // "authentication is not enabled"
        }
        throw new CompletionException(error);
    }

    private synchronized void forgetToken() {
        token = null;
    }

    // ---- tries

    /** One call until it has an answer. Its fields belong to the try that is on its way. */
    private final class Call<Q, A> {
        private final MethodDescriptor<Q, A> method;
        private final Supplier<Q> requests;
        private final long began = time.nanoTime();
        private final CompletableFuture<Answer<Q, A>> answer = new CompletableFuture<>();
        private int tries;
        private int logins;
        private boolean uncertain;
        /** What a member that could be reached said last, or that it said nothing; those that are away say less. */
        private Optional<Throwable> telling = Optional.empty();

        Call(MethodDescriptor<Q, A> method, Supplier<Q> requests) {
            this.method = method;
            this.requests = requests;
        }

        void attempt() {
            tries++;
            int at = current.get();
            Member member = members.get(at);
            Q request = requests.get();
            once(member, method, request).whenComplete((response, error) -> {
                if (error == null) {
                    answer.complete(new Answer<>(request, response, uncertain));
                } else {
                    failed(at, error instanceof CompletionException ? error.getCause() : error);
                }
            });
        }

        private void failed(int at, Throwable error) {
            EtcdFailure failure = EtcdFailure.of(error);
            telling = failure == EtcdFailure.UNREACHABLE || failure == EtcdFailure.OTHER ? telling : Optional.of(error);
            Duration pause = pause(tries);
            long elapsed = time.nanoTime() - began;
            if (closed) {
                end(EtcdFailure.CLOSED, error, failure.reaction() == Reaction.REPEAT);
            } else if (failure.reaction() == Reaction.LOG_IN && settings.user().isPresent() && logins++ < 3) {
                forgetToken();
                attempt();
            } else if (failure.reaction() == Reaction.REPEAT
                    && elapsed + pause.toNanos() < settings.patience().toNanos()) {
                uncertain = true;
                int next = (at + 1) % members.size();
                current.compareAndSet(at, next);
                scheduler.after(pause, () -> {
                    // else gRPC answers by itself that the member was away, for up to two minutes
                    members.get(next).channel().resetConnectBackoff();
                    attempt();
                });
            } else if (failure.reaction() == Reaction.REPEAT) {
                Throwable most = telling.orElse(error);
                end(EtcdFailure.of(most), most, true);
            } else {
                end(failure, error, false);
            }
        }

        private void end(EtcdFailure failure, Throwable error, boolean unknown) {
            answer.completeExceptionally(exception(failure, error, uncertain || unknown));
        }
    }

    private Duration pause(int tries) {
        synchronized (random) {
            return PAUSES.pause(tries, random);
        }
    }

    /** Ends what is on its way with a failure, and closes the connections. */
    @Override
    public void close() {
        closed = true;
        members.forEach(member -> member.channel().shutdownNow());
    }
}
