package io.enipam.aliyun.credentials;

import com.google.gson.JsonObject;
import io.enipam.aliyun.credentials.RamRoleCredentialsProvider.RamRoleService;
import io.enipam.engine.concurrent.DaemonThreads;
import io.enipam.engine.port.TimeSource;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** Where the keys come from. Thread-safe. */
public interface CredentialsProvider {
    /** The provider that the configuration asks for. */
    static CredentialsProvider of(CredentialsConfig choice, RamRoleService metadata, TimeSource time) {
        if (choice instanceof CredentialsConfig.Fixed fixed) {
            return new StaticCredentialsProvider(fixed);
        }
        if (choice instanceof CredentialsConfig.InFile file) {
            return new FileCredentialsProvider(file.path(), time);
        }
        // a thread for each refresh: there is one every few hours, and all threads that call the cloud may wait for it
        return new RamRoleCredentialsProvider(
                metadata,
                time,
                task -> DaemonThreads.named("aliyun-keys").newThread(task).start());
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
}
