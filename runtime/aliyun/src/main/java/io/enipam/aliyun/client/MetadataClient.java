package io.enipam.aliyun.client;

import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Asks the metadata service ({@code /latest/meta-data/...}). Not thread-safe; blocks for some seconds at most.
 *
 * <p>It begins in token mode ({@code PUT /latest/api/token}) and asks without a token where the service knows of none. No
 * proxy is ever used: the service is link-local.
 */
public final class MetadataClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int ATTEMPTS = 3;

    private final URI base;
    private final HttpClient http;
    private String token = "";

    /** @param base scheme and authority, such as {@code http://100.100.100.200} */
    public MetadataClient(URI base) {
        this.base = base;
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .proxy(HttpClient.Builder.NO_PROXY)
                .build();
    }

    /**
     * Who this node is.
     *
     * @throws FactoryException if the service does not answer, or says no
     */
    public NodeIdentity identity() {
        token = token();
        return new NodeIdentity(
                get("instance-id"),
                get("instance/instance-type"),
                get("region-id"),
                get("zone-id"),
                get("vpc-id"),
                get("vswitch-id"),
                get("mac"));
    }

    private String token() {
        HttpResponse<String> answer = send(
                "api/token",
                request("api/token")
                        .header("X-aliyun-ecs-metadata-token-ttl-seconds", "300")
                        .PUT(HttpRequest.BodyPublishers.noBody()));
        return answer.statusCode() == 200 ? answer.body().strip() : "";
    }

    private String get(String path) {
        HttpRequest.Builder request = request("meta-data/" + path).GET();
        if (!token.isEmpty()) {
            request.header("X-aliyun-ecs-metadata-token", token);
        }
        HttpResponse<String> answer = send(path, request);
        if (answer.statusCode() != 200 || answer.body().isBlank()) {
            throw new FactoryException(
                    ErrorKind.MISCONFIGURED,
                    "metadata service " + base + " answers " + answer.statusCode() + " for " + path
                            + "; is this an ECS instance in a VPC, and is the metadata address right?");
        }
        return answer.body().strip();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(base.resolve("/latest/" + path)).timeout(TIMEOUT);
    }

    private HttpResponse<String> send(String path, HttpRequest.Builder builder) {
        HttpRequest request = builder.build();
        IOException last = new IOException("not asked");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return http.send(request, HttpResponse.BodyHandlers.ofString());
            } catch (IOException e) {
                last = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FactoryException(ErrorKind.UNAVAILABLE, "interrupted while asking the metadata service", e);
            }
        }
        String cause = last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
        throw new FactoryException(
                ErrorKind.UNAVAILABLE,
                "metadata service " + base + " does not answer for " + path + ": " + cause
                        + "; is this an ECS instance, and is the metadata address right?",
                last);
    }
}
