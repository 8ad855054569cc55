package io.enipam.kubernetes.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A credential of the API server or the daemon, and its validity. The secret itself is not in it.
 *
 * @param what its kind, for display: {@code token}, {@code client certificate}, {@code CA certificate}
 * @param from start of its validity, if known
 * @param until end of its validity, if known
 * @param trouble why it cannot be read, if so
 */
public record CredentialStatus(String what, Optional<Instant> from, Optional<Instant> until, Optional<String> trouble) {
    /**
     * The present credentials, read anew. May read files, and run the program that a kubeconfig names.
     *
     * @throws IOException if a file of the credentials cannot be read
     */
    public static List<CredentialStatus> of(ApiAccess access) throws IOException {
        Config config = access.config();
        List<CredentialStatus> all = new ArrayList<>();
        token(config).map(CredentialStatus::ofToken).ifPresent(all::add);
        certificate("client certificate", config.getClientCertFile(), config.getClientCertData())
                .ifPresent(all::add);
        certificate("CA certificate", config.getCaCertFile(), config.getCaCertData())
                .ifPresent(all::add);
        return all;
    }

    private static Optional<String> token(Config config) {
        String token = config.getOauthTokenProvider() == null
                ? Optional.ofNullable(config.getOauthToken()).orElseGet(config::getAutoOAuthToken)
                : config.getOauthTokenProvider().getToken();
        return Optional.ofNullable(token).filter(text -> !text.isEmpty());
    }

    /** A service account's token is a JWT; other tokens are opaque. No signature is verified. */
    static CredentialStatus ofToken(String token) {
        String[] parts = token.split("\\.", -1);
        if (parts.length != 3) {
            return new CredentialStatus("token", Optional.empty(), Optional.empty(), Optional.empty());
        }
        try {
            JsonNode claims =
                    Serialization.jsonMapper().readTree(Base64.getUrlDecoder().decode(parts[1]));
            return new CredentialStatus("token", moment(claims, "iat"), moment(claims, "exp"), Optional.empty());
        } catch (IllegalArgumentException | IOException e) {
            // the parser's message would quote the token
            return unreadable("token", "it is no token");
        }
    }

    private static Optional<Instant> moment(JsonNode claims, String claim) {
        JsonNode seconds = claims.path(claim);
        return seconds.isNumber() ? Optional.of(Instant.ofEpochSecond(seconds.asLong())) : Optional.empty();
    }

    /** Of several, the one that expires first. */
    private static Optional<CredentialStatus> certificate(String what, @Nullable String file, @Nullable String data) {
        boolean inFile = file != null && !file.isEmpty();
        if (!inFile && (data == null || data.isEmpty())) {
            return Optional.empty();
        }
        try {
            byte[] pem = inFile ? Files.readAllBytes(Path.of(file)) : decoded(String.valueOf(data));
            return CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem)).stream()
                    .map(X509Certificate.class::cast)
                    .min(Comparator.comparing(X509Certificate::getNotAfter))
                    .map(first -> new CredentialStatus(
                            what,
                            Optional.of(first.getNotBefore().toInstant()),
                            Optional.of(first.getNotAfter().toInstant()),
                            Optional.empty()));
        } catch (IOException | CertificateException | IllegalArgumentException e) {
            return Optional.of(unreadable(what, inFile ? file + " holds none that can be read" : "it cannot be read"));
        }
    }

    private static CredentialStatus unreadable(String what, String why) {
        return new CredentialStatus(what, Optional.empty(), Optional.empty(), Optional.of(why));
    }

    private static byte[] decoded(String data) {
        return data.contains("-----BEGIN")
                ? data.getBytes(UTF_8)
                : Base64.getMimeDecoder().decode(data);
    }
}
