package io.enipam.aliyun.credentials;

import java.nio.file.Path;
import java.util.Optional;

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

    /** The RAM role of this instance. */
    record InstanceRole() implements CredentialsConfig {}

    /**
     * What is configured first: a key, a file, or else the role.
     *
     * @param accessKeyId empty text for none
     * @param accessKeySecret empty text for none
     * @param path empty text for none
     */
    static CredentialsConfig of(String accessKeyId, String accessKeySecret, String path) {
        if (!accessKeyId.isEmpty() && !accessKeySecret.isEmpty()) {
            return new Fixed(accessKeyId, accessKeySecret);
        }
        return path.isEmpty() ? new InstanceRole() : new InFile(Path.of(path));
    }
}
