package io.enipam.aliyun.credentials;

import io.enipam.aliyun.credentials.RamRoleCredentialsProvider.RamRoleService;
import io.enipam.engine.port.TimeSource;
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
        return new RamRoleCredentialsProvider(metadata, time, task -> {
            Thread thread = new Thread(task, "aliyun-keys");
            thread.setDaemon(true);
            thread.start();
        });
    }

    /**
     * The keys to sign with now. Waits for seconds at most, and only if there are none that hold.
     *
     * @throws CredentialsException if there are none
     */
    CloudCredentials current();

    /** Counts how often the keys have changed. */
    long generation();

    /**
     * The cloud does not accept the keys: looks whether there are newer ones. Waits for seconds at most.
     *
     * @param generation that of the keys that were not accepted
     * @return whether {@link #current} gives others now
     */
    boolean refreshIfNewer(long generation);

    /** Where the keys come from, as the end of "check ...". */
    String location();

    /** There are no keys to sign with. The message is one line, says what to do, and holds no secret. */
    public static final class CredentialsException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean transientFailure;

        private CredentialsException(String message, boolean passing) {
            super(message);
            this.transientFailure = passing;
        }

        /** Something has to be changed first. */
        static CredentialsException permanent(String message) {
            return new CredentialsException(message, false);
        }

        /** Asking again may help. */
        static CredentialsException transientFailure(String message) {
            return new CredentialsException(message, true);
        }

        /** Whether asking again may help. */
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
        public long generation() {
            return 0;
        }

        @Override
        public boolean refreshIfNewer(long generation) {
            return false;
        }

        @Override
        public String location() {
            return "access_key and access_secret in eni.json";
        }
    }
}
