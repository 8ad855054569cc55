package io.enipam.aliyun.credentials;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.engine.port.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of the instance's RAM role. Thread-safe; {@code this} guards all state, and is never held while the service is asked.
 *
 * <p><b>One refresher.</b> At most one refresh runs; all callers wait for that one. It is begun {@link
 * #EARLY} before the keys end, in the background: callers go on with the old ones, which still hold, and never wait for it.
 * Only a caller that has no keys, or expired ones, or ones that the cloud refused, waits. A refresh that fails, or brings
 * the same keys since the service has no newer ones yet, is repeated after {@link #AGAIN}, not at each call.
 */
public final class RamRoleCredentialsProvider implements CredentialsProvider {
    private static final Logger LOG = LoggerFactory.getLogger(RamRoleCredentialsProvider.class);
    /** The service has newer keys well before the old ones end, usually half an hour. */
    static final Duration EARLY = Duration.ofMinutes(20);

    static final Duration AGAIN = Duration.ofSeconds(30);

    private final RamRoleService service;
    private final TimeSource time;
    private final Executor refresher;
    private @Nullable CloudCredentials keys;
    private @Nullable CompletableFuture<CloudCredentials> refresh;
    private long notBeforeNanos;
    private long generation;

    /** @param refresher a thread of its own: those that call the cloud may all be waiting for it */
    public RamRoleCredentialsProvider(RamRoleService service, TimeSource time, Executor refresher) {
        this.service = service;
        this.time = time;
        this.refresher = refresher;
        this.notBeforeNanos = time.nanoTime();
    }

    @Override
    public CloudCredentials current() {
        CompletableFuture<CloudCredentials> awaited;
        synchronized (this) {
            CloudCredentials held = keys;
            if (held != null && !held.expiredAt(time.now())) {
                if (held.expiredAt(time.now().plus(EARLY)) && time.nanoTime() - notBeforeNanos >= 0) {
                    refresh();
                }
                return held;
            }
            awaited = refresh();
        }
        return outcome(awaited);
    }

    private static CloudCredentials outcome(CompletableFuture<CloudCredentials> refresh) {
        try {
            return refresh.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof CredentialsException trouble) {
                throw trouble;
            }
            throw CredentialsException.transientFailure(
                    "the keys of this instance's RAM role cannot be had: " + e.getCause());
        }
    }

    /** Under the lock: the refresh that runs, or a new one. */
    private CompletableFuture<CloudCredentials> refresh() {
        CompletableFuture<CloudCredentials> running = refresh;
        if (running != null) {
            return running;
        }
        CompletableFuture<CloudCredentials> begun = new CompletableFuture<>();
        refresh = begun;
        try {
            refresher.execute(() -> run(begun));
        } catch (RejectedExecutionException e) {
            refresh = null;
            begun.completeExceptionally(CredentialsException.transientFailure("the client is closing"));
        } catch (OutOfMemoryError e) {
            // no thread to be had; callers must not wait for ever
            refresh = null;
            begun.completeExceptionally(
                    CredentialsException.transientFailure("there is no thread to refresh the keys: " + e.getMessage()));
        }
        return begun;
    }

    private void run(CompletableFuture<CloudCredentials> begun) {
        try {
            CloudCredentials fresh = service.keys();
            if (fresh.expiredAt(time.now())) {
                throw CredentialsException.transientFailure(
                        "the metadata service gives keys of this instance's RAM role that expired at "
                                + fresh.expires().orElseThrow() + "; check this node's clock");
            }
            synchronized (this) {
                if (!fresh.equals(keys)) {
                    generation++;
                    LOG.info("the RAM role's credentials were refreshed: {}", fresh);
                }
                keys = fresh;
                ended();
            }
            begun.complete(fresh);
        } catch (RuntimeException | Error e) {
            boolean known = e instanceof CredentialsException;
            LOG.warn("the RAM role's credentials cannot be refreshed: {}", known ? e.getMessage() : e.toString());
            synchronized (this) {
                ended();
            }
            begun.completeExceptionally(e);
        }
    }

    private void ended() {
        refresh = null;
        notBeforeNanos = time.nanoTime() + AGAIN.toNanos();
    }

    @Override
    public synchronized long generation() {
        return generation;
    }

    @Override
    public boolean refreshIfNewer(long old) {
        CompletableFuture<CloudCredentials> awaited;
        synchronized (this) {
            if (generation != old) {
                return true;
            }
            awaited = refresh();
        }
        try {
            outcome(awaited);
        } catch (CredentialsException e) {
            return false;
        }
        return generation() != old;
    }

    @Override
    public String location() {
        return "the RAM role of this instance";
    }

    /** Gives out the keys of the instance's RAM role. Blocks for seconds at most. */
    @FunctionalInterface
    public interface RamRoleService {
        /** @throws CredentialsException if there is no role, or no answer */
        CloudCredentials keys();
    }

    /**
     * The keys in an answer: a JSON object with AccessKeyId, AccessKeySecret, SecurityToken, Expiration and the Code Success.
     *
     * @throws CredentialsException if there are none in it; its message shows nothing of the answer but its code
     */
    public static CloudCredentials parse(String role, String body) {
        JsonObject answer;
        try {
            answer = JsonParser.parseString(body).getAsJsonObject();
        } catch (JsonParseException | IllegalStateException e) {
            throw unusable("gives no JSON object for the RAM role " + role);
        }
        String code = CloudCredentials.field(answer, "Code");
        if (!code.isEmpty() && !code.equals("Success")) {
            throw unusable("says " + code.replaceAll("[^A-Za-z0-9.]", "") + " for the RAM role " + role
                    + "; check that the role exists and trusts ecs.aliyuncs.com");
        }
        String id = CloudCredentials.field(answer, "AccessKeyId");
        String secret = CloudCredentials.field(answer, "AccessKeySecret");
        String token = CloudCredentials.field(answer, "SecurityToken");
        if (id.isEmpty() || secret.isEmpty() || token.isEmpty()) {
            throw unusable("gives no whole set of keys for the RAM role " + role);
        }
        try {
            Instant expires = Instant.parse(CloudCredentials.field(answer, "Expiration"));
            return new CloudCredentials(id, secret, Optional.of(token), Optional.of(expires));
        } catch (DateTimeParseException e) {
            throw unusable("gives no time at which the keys of RAM role " + role + " expire");
        }
    }

    private static CredentialsException unusable(String why) {
        return CredentialsException.transientFailure("the metadata service " + why);
    }
}
