package io.enipam.aliyun.client;

import io.enipam.aliyun.calls.ApiCallLog.MetadataCallStats;
import io.enipam.aliyun.credentials.CredentialsProvider.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;
import io.enipam.aliyun.credentials.RamRoleCredentialsProvider;
import io.enipam.aliyun.credentials.RamRoleCredentialsProvider.RamRoleService;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;

/**
 * Asks the metadata service ({@code /latest/meta-data/...}). Thread-safe; blocks for some seconds at most.
 *
 * <p>It begins in token mode ({@code PUT /latest/api/token}) and asks without a token where the service knows of none.
 * No proxy is ever used: the service is link-local.
 */
public final class MetadataClient implements RamRoleService {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int ATTEMPTS = 3;
    private static final int SERVER_ERROR = 500;
    private static final String ROLES = "ram/security-credentials/";
    private static final String INSTEAD =
            "attach a RAM role to the instance, or set access_key and access_secret, or credential_path";

    private final URI base;
    private final Duration timeout;
    private final MetadataCallStats book;
    private final HttpClient http;

    /** @param base scheme and authority, such as {@code http://100.100.100.200} */
    public MetadataClient(URI base, MetadataCallStats book) {
        this(base, TIMEOUT, book);
    }

    /** @param timeout of each of the attempts */
    MetadataClient(URI base, Duration timeout, MetadataCallStats book) {
        this.book = book;
        this.base = base;
        this.timeout = timeout;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .proxy(HttpClient.Builder.NO_PROXY);
        if ("http".equals(base.getScheme())) {
            // the JDK's own would read all certificates of its authorities, a tenth of a second of a start
            builder.sslContext(trustingNone());
        }
        this.http = builder.build();
    }

    /** For servers without TLS: {@link HttpClient} asks for a context all the same. */
    static SSLContext trustingNone() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[0], new TrustManager[0], null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no TLS", e);
        }
    }

    /** @throws FactoryException if the service does not answer, or says no */
    public NodeIdentity identity() {
        String token = token();
        return new NodeIdentity(
                get("instance-id", token),
                get("instance/instance-type", token),
                get("region-id", token),
                get("zone-id", token),
                get("vpc-id", token),
                get("vswitch-id", token),
                get("mac", token));
    }

    /** @throws KeysException if it has none, or the service does not answer */
    @Override
    public CloudCredentials keys() {
        try {
            String token = token();
            HttpResponse<String> roles = ask(ROLES, token);
            String role = roles.body().lines().findFirst().orElse("").strip();
            if (roles.statusCode() == 404 || (roles.statusCode() == 200 && role.isEmpty())) {
                throw CredentialsException.permanent(
                        "there are no credentials: none are configured, and this instance has no RAM role; " + INSTEAD);
            }
            HttpResponse<String> answer = roles.statusCode() == 200 ? ask(ROLES + role, token) : roles;
            if (answer.statusCode() != 200) {
                throw CredentialsException.transientFailure("metadata service " + base + " answers "
                        + answer.statusCode() + " for the credentials of this instance's RAM role; " + INSTEAD);
            }
            return RamRoleCredentialsProvider.parse(role, answer.body());
        } catch (FactoryException e) {
            throw CredentialsException.transientFailure(
                    "the credentials of this instance's RAM role cannot be had: " + e.getMessage());
        }
    }

    private String token() {
        HttpRequest.Builder request = request("api/token")
                .header("X-aliyun-ecs-metadata-token-ttl-seconds", "300")
                .PUT(HttpRequest.BodyPublishers.noBody());
        HttpResponse<String> answer = send("api/token", request);
        return answer.statusCode() == 200 ? answer.body().strip() : "";
    }

    private String get(String path, String token) {
        HttpResponse<String> answer = ask(path, token);
        if (answer.statusCode() != 200 || answer.body().isBlank()) {
            String why = "metadata service " + base + " answers " + answer.statusCode() + " for " + path
                    + "; is this an ECS instance in a VPC, and is the metadata address right?";
            throw new FactoryException(ErrorKind.MISCONFIGURED, why);
        }
        return answer.body().strip();
    }

    private HttpResponse<String> ask(String path, String token) {
        HttpRequest.Builder request = request("meta-data/" + path).GET();
        if (!token.isEmpty()) {
            request.header("X-aliyun-ecs-metadata-token", token);
        }
        return send(path, request);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve("/latest/" + path)).timeout(timeout);
    }

    private HttpResponse<String> send(String path, HttpRequest.Builder builder) {
        HttpRequest request = builder.build();
        IOException last = new IOException("not asked");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            // the name of the role is not counted
            Consumer<Boolean> asked = book.begin(path.startsWith(ROLES) ? ROLES : path);
            try {
                HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
                asked.accept(answer.statusCode() < SERVER_ERROR);
                return answer;
            } catch (IOException e) {
                asked.accept(false);
                last = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FactoryException(ErrorKind.UNAVAILABLE, "interrupted while asking the metadata service", e);
            }
        }
        String cause = last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
        String why = "metadata service " + base + " does not answer for " + path + ": " + cause
                + "; is this an ECS instance, and is the metadata address right?";
        throw new FactoryException(ErrorKind.UNAVAILABLE, why, last);
    }

    /**
     * What the metadata service says of this instance.
     *
     * @param instanceType such as {@code ecs.g7.large}
     * @param vswitchId the vSwitch of its primary ENI
     * @param mac hardware address of its primary ENI
     */
    public record NodeIdentity(
            String instanceId,
            String instanceType,
            String regionId,
            String zoneId,
            String vpcId,
            String vswitchId,
            String mac) {}
}
