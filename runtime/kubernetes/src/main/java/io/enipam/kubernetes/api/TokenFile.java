package io.enipam.kubernetes.api;

import io.enipam.kubernetes.api.ReloadingTls.FileVersion;
import io.fabric8.kubernetes.client.OAuthTokenProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service account's token, which the kubelet replaces long before it expires: read again when the file changes. While
 * the file cannot be read, the last token is used, which stays valid for minutes. Thread-safe; {@code this} guards the
 * token.
 *
 * @see <a href="https://kubernetes.io/docs/concepts/storage/projected-volumes/">projected volumes</a>
 */
final class TokenFile implements OAuthTokenProvider {
    private static final Logger LOG = LoggerFactory.getLogger(TokenFile.class);
    private static final int LONGEST = 64 * 1024;

    private final Path file;
    private @Nullable FileVersion read;
    private @Nullable String token;

    TokenFile(Path file) {
        this.file = file;
    }

    /** @return the token, or null if there has never been one: the request is sent without, and refused with 401 */
    @Override
    public synchronized @Nullable String getToken() {
        try {
            FileVersion version = FileVersion.of(file);
            if (!version.equals(read)) {
                if (version.size() > LONGEST) {
                    throw new IOException("it has " + version.size() + " bytes, more than any token");
                }
                token = Files.readString(file).strip();
                read = version;
            }
        } catch (IOException e) {
            LOG.warn("the token in {} cannot be read: {}", file, e.toString());
        }
        return token;
    }
}
