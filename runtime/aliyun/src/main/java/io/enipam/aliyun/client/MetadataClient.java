package io.enipam.aliyun.client;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.time.Duration;
import java.util.function.Consumer;

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

    /** @param timeout of each of the attempts, the whole answer included */
    MetadataClient(URI base, Duration timeout, MetadataCallStats book) {
        this.book = book;
        this.base = base;
        this.timeout = timeout;
        this.http = WholeAnswer.client(!"http".equals(base.getScheme()), timeout, HttpClient.Builder.NO_PROXY);
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
            Answer roles = ask(ROLES, token);
            String role = roles.body().lines().findFirst().orElse("").strip();
            if (roles.status() == 404 || (roles.status() == 200 && role.isEmpty())) {
                throw CredentialsException.permanent(
                        "there are no credentials: none are configured, and this instance has no RAM role; " + INSTEAD);
            }
            Answer answer = roles.status() == 200 ? ask(ROLES + role, token) : roles;
            if (answer.status() != 200) {
                throw CredentialsException.transientFailure("metadata service " + base + " answers " + answer.status()
                        + " for the credentials of this instance's RAM role; " + INSTEAD);
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
        Answer answer = send("api/token", request);
        return answer.status() == 200 ? answer.body().strip() : "";
    }

    private String get(String path, String token) {
        Answer answer = ask(path, token);
        if (answer.status() != 200 || answer.body().isBlank()) {
            String why = "metadata service " + base + " answers " + answer.status() + " for " + path
                    + "; is this an ECS instance in a VPC, and is the metadata address right?";
            throw new FactoryException(ErrorKind.MISCONFIGURED, why);
        }
        return answer.body().strip();
    }

    private Answer ask(String path, String token) {
        HttpRequest.Builder request = request("meta-data/" + path).GET();
        if (!token.isEmpty()) {
            request.header("X-aliyun-ecs-metadata-token", token);
        }
        return send(path, request);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve("/latest/" + path));
    }

    private Answer send(String path, HttpRequest.Builder request) {
        IOException last = new IOException("not asked");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            // the name of the role is not counted
            Consumer<Boolean> asked = book.begin(path.startsWith(ROLES) ? ROLES : path);
            try {
                HttpResponse<byte[]> answer = WholeAnswer.of(http, request, timeout);
                asked.accept(answer.statusCode() < SERVER_ERROR);
                return new Answer(answer.statusCode(), new String(answer.body(), UTF_8));
            } catch (IOException e) {
                asked.accept(false);
                if (Thread.currentThread().isInterrupted()) {
                    throw new FactoryException(
                            ErrorKind.UNAVAILABLE, "interrupted while asking the metadata service", e);
                }
                last = e;
            }
        }
        String cause = last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
        String why = "metadata service " + base + " does not answer for " + path + ": " + cause
                + "; is this an ECS instance, and is the metadata address right?";
        throw new FactoryException(ErrorKind.UNAVAILABLE, why, last);
    }

    private record Answer(int status, String body) {}

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
