package io.enipam.aliyun.credentials;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.aliyun.credentials.RamRoleCredentialsProvider.RamRoleService;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.TimeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the keys come from. Thread-safe. */
public interface CredentialsProvider {
    static CredentialsProvider of(CredentialsConfig choice, RamRoleService metadata, TimeSource time) {
        if (choice instanceof CredentialsConfig.Fixed fixed) {
            return new StaticCredentialsProvider(fixed);
        }
        if (choice instanceof CredentialsConfig.InFile file) {
            return new FileCredentialsProvider(file.path(), time);
        }
        // a thread for each refresh: there is one every few hours, and all threads that call the cloud may wait for it
        return new RamRoleCredentialsProvider(metadata, time, DaemonThreads.each("aliyun-keys"));
    }

    /**
     * The keys to sign with now. Waits for seconds at most, and only if there are none that hold.
     *
     * @throws CredentialsException if there are none
     */
    CloudCredentials current();

    /** Counts how often the keys have changed: those of the configuration never do. */
    default long generation() {
        return 0;
    }

    /**
     * The cloud does not accept the keys: looks whether there are newer ones. Waits for seconds at most.
     *
     * @param generation that of the keys that were not accepted
     * @return whether {@link #current} gives others now
     */
    default boolean refreshIfNewer(long generation) {
        return false;
    }

    /** Where the keys come from, as the end of "check ...". */
    String location();

    /** There are no keys to sign with. The message is one line, says what to do, and holds no secret. */
    final class CredentialsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean transientFailure;

        private CredentialsException(String message, boolean passing) {
            super(message);
            this.transientFailure = passing;
        }

        /** Something has to be changed first. */
        public static CredentialsException permanent(String message) {
            return new CredentialsException(message, false);
        }

        /** Asking again may help. */
        public static CredentialsException transientFailure(String message) {
            return new CredentialsException(message, true);
        }

        public boolean transientFailure() {
            return transientFailure;
        }
    }

    /** Keys of the configuration: they never change. */
    record StaticCredentialsProvider(CredentialsConfig.Fixed choice) implements CredentialsProvider {
        @Override
        public CloudCredentials current() {
            return new CloudCredentials(
                    choice.accessKeyId(), choice.accessKeySecret(), choice.securityToken(), Optional.empty());
        }

        @Override
        public String location() {
            return "access_key and access_secret in eni.json";
        }
    }

    /** Which keys the configuration asks for. */
    public sealed interface CredentialsConfig {
        /**
         * Keys of the configuration itself.
         *
         * @param securityToken what goes with a temporary key (STS)
         */
        record Fixed(String accessKeyId, String accessKeySecret, Optional<String> securityToken)
                implements CredentialsConfig {
            public Fixed(String accessKeyId, String accessKeySecret) {
                this(accessKeyId, accessKeySecret, Optional.empty());
            }

            @Override
            public String toString() {
                return "Fixed[***]";
            }
        }

        /** Keys in a file of their own, which may change while the daemon runs. */
        record InFile(Path path) implements CredentialsConfig {}

        record InstanceRole() implements CredentialsConfig {}

        /** What is configured first: a key, a file, or else the role; empty texts stand for none. */
        static CredentialsConfig of(String accessKeyId, String accessKeySecret, String path) {
            if (!accessKeyId.isEmpty() && !accessKeySecret.isEmpty()) {
                return new Fixed(accessKeyId, accessKeySecret);
            }
            return path.isEmpty() ? new InstanceRole() : new InFile(Path.of(path));
        }
    }

    /**
     * What a call is signed with. It shows no more of itself than the beginning of the key's id.
     *
     * @param securityToken what goes with a temporary key (STS)
     * @param expires when a temporary key ends, if that is known
     */
    public record CloudCredentials(
            String accessKeyId, String accessKeySecret, Optional<String> securityToken, Optional<Instant> expires) {
        private static final int SHOWN = 4;

        boolean expiredAt(Instant now) {
            return expires.filter(end -> !now.isBefore(end)).isPresent();
        }

        /** A field of a JSON object with keys; empty text if it is absent or no text. */
        static String field(JsonObject object, String name) {
            return object.has(name) && object.get(name).isJsonPrimitive()
                    ? object.get(name).getAsString().strip()
                    : "";
        }

        @Override
        public String toString() {
            return "Keys[" + accessKeyId.substring(0, Math.min(SHOWN, accessKeyId.length() / 2)) + "***"
                    + expires.map(end -> ", until " + end).orElse("") + "]";
        }
    }

    /**
     * Keys of a file that others replace: looked at once a second at most, read when it has changed. While it cannot be read,
     * the last keys go on being used until they expire. Thread-safe; {@code this} guards all state.
     */
    public static final class FileCredentialsProvider implements CredentialsProvider {
        private static final Logger LOG = LoggerFactory.getLogger(FileCredentialsProvider.class);
        private static final int LONGEST = 64 * 1024;
        private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

        private final Path path;
        private final TimeSource time;
        private @Nullable CloudCredentials keys;
        private @Nullable CredentialsException trouble;
        private String seen = "";
        private long lookedNanos;
        private long generation;

        public FileCredentialsProvider(Path path, TimeSource time) {
            this.path = path;
            this.time = time;
            this.lookedNanos = time.nanoTime() - LOOK_EVERY.toNanos();
        }

        @Override
        public synchronized CloudCredentials current() {
            if (time.nanoTime() - lookedNanos >= LOOK_EVERY.toNanos()) {
                look();
            }
            CloudCredentials held = keys;
            if (held == null || (held.expiredAt(time.now()) && trouble != null)) {
                throw trouble == null
                        ? CredentialsException.transientFailure("credential_path " + path + " was not read yet")
                        : trouble;
            }
            if (held.expiredAt(time.now())) {
                throw CredentialsException.permanent("the credentials in credential_path " + path + " expired at "
                        + held.expires().orElseThrow() + "; whoever writes the file has to renew it");
            }
            return held;
        }

        private void look() {
            lookedNanos = time.nanoTime();
            String now = fingerprint();
            if (now.equals(seen) && keys != null) {
                return;
            }
            seen = now;
            try {
                CloudCredentials read = read();
                if (!read.equals(keys)) {
                    generation++;
                    LOG.info("credentials read from {}: {}", path, read);
                }
                keys = read;
                trouble = null;
            } catch (CredentialsException e) {
                if (trouble == null || !String.valueOf(trouble.getMessage()).equals(e.getMessage())) {
                    LOG.warn("{}", e.getMessage());
                }
                trouble = e;
                // what is being written just now may be whole in a second
                seen = "";
            }
        }

        /** What changes when the file is written or replaced. */
        private String fingerprint() {
            try {
                BasicFileAttributes facts = Files.readAttributes(path, BasicFileAttributes.class);
                return facts.fileKey() + " " + facts.size() + " " + facts.lastModifiedTime();
            } catch (IOException e) {
                return "";
            }
        }

        @Override
        public synchronized long generation() {
            return generation;
        }

        @Override
        public synchronized boolean refreshIfNewer(long old) {
            if (generation == old) {
                seen = "";
                look();
            }
            return generation != old;
        }

        @Override
        public String location() {
            return "the file of credential_path, " + path;
        }

        /**
         * Reads the file: a JSON object as in ACK's token files, with {@code access.key.id}, {@code access.key.secret} and, for a temporary
         * key, {@code security.token} and {@code expiration}, an ISO time. One with a {@code keyring} is encrypted, and is not read.
         *
         * @throws CredentialsException if it cannot be read, or is none; no message shows what is in it
         */
        private CloudCredentials read() {
            JsonObject object = object(text());
            if (!CloudCredentials.field(object, "keyring").isEmpty()) {
                throw refused(
                        " is encrypted (it has a keyring), and enipam reads only plain ones; give it a plain file,"
                                + " access_key and access_secret, or the instance a RAM role");
            }
            String id = CloudCredentials.field(object, "access.key.id");
            String secret = CloudCredentials.field(object, "access.key.secret");
            if (id.isEmpty() || secret.isEmpty()) {
                throw refused(" has no " + (id.isEmpty() ? "access.key.id" : "access.key.secret")
                        + "; a JSON object with access.key.id and access.key.secret is wanted");
            }
            String token = CloudCredentials.field(object, "security.token");
            String end = CloudCredentials.field(object, "expiration");
            try {
                return new CloudCredentials(
                        id,
                        secret,
                        token.isEmpty() ? Optional.empty() : Optional.of(token),
                        end.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(end)));
            } catch (DateTimeParseException e) {
                throw refused(" has an expiration that is no time; one such as 2026-01-31T08:00:00Z is wanted");
            }
        }

        private String text() {
            try {
                if (Files.size(path) > LONGEST) {
                    throw refused(" is longer than " + LONGEST + " bytes; it is no file of credentials");
                }
                return Files.readString(path, StandardCharsets.UTF_8);
            } catch (NoSuchFileException e) {
                throw refused(" does not exist; mount the file there, or correct credential_path");
            } catch (IOException e) {
                throw refused(" cannot be read: " + e.getClass().getSimpleName()
                        + "; check that it is a text file the daemon's user may read");
            }
        }

        private JsonObject object(String text) {
            try {
                return JsonParser.parseString(text).getAsJsonObject();
            } catch (JsonParseException | IllegalStateException e) {
                // the parser's message would show a part of the file
                throw refused(" is not a JSON object; one with access.key.id and access.key.secret is wanted");
            }
        }

        private CredentialsException refused(String why) {
            return CredentialsException.permanent("credential_path " + path + why);
        }
    }
}
