package io.enipam.aliyun.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.aliyun.credentials.CredentialsProvider.FileCredentialsProvider;
import io.enipam.engine.simulation.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileCredentialsProviderTest {
    @TempDir
    Path directory;

    private final VirtualTime time = new VirtualTime(Instant.EPOCH);
    private Path path;
    private FileCredentialsProvider keys;

    @BeforeEach
    void file() {
        path = directory.resolve("token-config");
        keys = new FileCredentialsProvider(path, time);
    }

    private void write(String id, String expiration) throws IOException {
        Path fresh = Files.writeString(directory.resolve("fresh"), """
            {"access.key.id": "%s", "access.key.secret": "hush-%s", "security.token": "sts-%s",
             "expiration": "%s", "cluster.type": "ManagedKubernetes"}
            """.formatted(id, id, id, expiration));
        Files.move(fresh, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void aTemporaryKeyIsReadWhole() throws IOException {
        write("STS.one", "1970-01-01T06:00:00Z");

        CloudCredentials read = keys.current();

        assertThat(read.accessKeyId()).isEqualTo("STS.one");
        assertThat(read.accessKeySecret()).isEqualTo("hush-STS.one");
        assertThat(read.securityToken()).contains("sts-STS.one");
        assertThat(read.expires()).isPresent();
    }

    @Test
    void aLastingKeyNeedsNoTokenAndNoExpiration() throws IOException {
        Files.writeString(path, "{\"access.key.id\": \"AK\", \"access.key.secret\": \"S\"}");

        assertThat(keys.current().securityToken()).isEmpty();
        assertThat(keys.current().expires()).isEmpty();
    }

    @Test
    void aFileThatIsReplacedIsReadAgainWithinASecond() throws IOException {
        write("one", "1970-01-01T06:00:00Z");
        long before = generationAfterReading();
        write("two", "1970-01-01T12:00:00Z");

        assertThat(keys.current().accessKeyId()).isEqualTo("one");
        time.advance(Duration.ofSeconds(1));

        assertThat(keys.current().accessKeyId()).isEqualTo("two");
        assertThat(keys.generation()).isGreaterThan(before);
    }

    private long generationAfterReading() {
        keys.current();
        return keys.generation();
    }

    @Test
    void keysThatTheCloudRefusesAreReadAgainAtOnce() throws IOException {
        write("one", "1970-01-01T06:00:00Z");
        long refused = generationAfterReading();
        assertThat(keys.refreshIfNewer(refused)).isFalse();

        write("two", "1970-01-01T12:00:00Z");

        assertThat(keys.refreshIfNewer(refused)).isTrue();
        assertThat(keys.current().accessKeyId()).isEqualTo("two");
        assertThat(keys.refreshIfNewer(refused)).as("asked by the next one").isTrue();
    }

    @Test
    void whileAFileIsBrokenTheLastKeysGoOnUntilTheyExpire() throws IOException {
        write("one", "1970-01-01T06:00:00Z");
        keys.current();
        Files.writeString(path, "{\"access.key.id\": \"two\", \"acc");
        time.advance(Duration.ofSeconds(2));

        assertThat(keys.current().accessKeyId()).isEqualTo("one");

        time.advance(Duration.ofHours(6));
        assertThatThrownBy(keys::current)
                .isInstanceOf(CredentialsException.class)
                .hasMessageContaining("is not a JSON object");

        write("three", "1970-01-01T12:00:00Z");
        time.advance(Duration.ofSeconds(1));
        assertThat(keys.current().accessKeyId()).isEqualTo("three");
    }

    @Test
    void expiredKeysSayWhoHasToRenewThem() throws IOException {
        write("one", "1970-01-01T06:00:00Z");
        time.advance(Duration.ofHours(7));

        assertThatThrownBy(keys::current)
                .hasMessageContaining("expired at 1970-01-01T06:00:00Z")
                .hasMessageContaining("whoever writes the file has to renew it");
    }

    @Test
    void anEncryptedFileSaysThatItIsNotRead() throws IOException {
        Files.writeString(path, """
            {"access.key.id": "bm90IHRoZSBrZXk=", "access.key.secret": "bm90IHRoZSBzZWNyZXQ=",
             "security.token": "x", "expiration": "2026-01-31T08:00:00Z", "keyring": "0123456789abcdef"}
            """);

        assertThatThrownBy(keys::current)
                .hasMessageContaining("is encrypted")
                .hasMessageContaining("give it a plain file, access_key and access_secret, or the instance a RAM role")
                .message()
                .doesNotContain("0123456789abcdef", "bm90", "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hush-hush",
                "[\"hush\"]",
                "{\"access.key.id\": \"AK\"}",
                "{\"access.key.secret\": \"hush\"}",
                "{\"access.key.id\": \"AK\", \"access.key.secret\": [\"hush\"]}",
                "{\"access.key.id\": \"AK\", \"access.key.secret\": \"hush\", \"expiration\": \"soon, hush\"}",
                "{\"access.key.id\": \"AK\", \"access.key.secret\": \"hush"
            })
    void aFileThatHoldsNoKeysIsNamedInOneLineThatShowsNothingOfIt(String text) throws IOException {
        Files.writeString(path, text);

        assertThatThrownBy(keys::current)
                .isInstanceOf(CredentialsException.class)
                .hasMessageContaining(path.toString())
                .message()
                .doesNotContain("hush", "\n");
    }

    @Test
    void aFileThatIsNotThereIsNamed() throws IOException {
        assertThatThrownBy(keys::current)
                .hasMessageContaining(path + " does not exist")
                .hasMessageContaining("correct credential_path");
        Files.createDirectory(path);
        time.advance(Duration.ofSeconds(1));
        assertThatThrownBy(keys::current).hasMessageContaining("cannot be read");
    }
}
