package io.enipam.aliyun.credentials;

import io.enipam.engine.port.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys of a file that others replace: looked at once a second at most, read when it has changed. While it cannot be read,
 * the last keys go on being used until they expire. Thread-safe; {@code this} guards all state.
 */
public final class FileCredentialsProvider implements CredentialsProvider {
    private static final Logger LOG = LoggerFactory.getLogger(FileCredentialsProvider.class);
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
            throw trouble == null ? CredentialsException.transientFailure("credential_path " + path + " was not read yet") : trouble;
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
            CloudCredentials read = CredentialsFileParser.read(path);
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
}
