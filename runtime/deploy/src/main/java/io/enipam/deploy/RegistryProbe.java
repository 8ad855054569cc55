package io.enipam.deploy;

import com.google.cloud.tools.jib.api.ImageReference;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Checks within seconds whether the registry of a base image answers at all. Otherwise a firewall that drops packets
 * would delay the build by every retry of every layer.
 */
record RegistryProbe(Duration patience) {
    /**
     * @param base a reference as {@link ImageBuild#base()}
     * @return why it cannot be reached; empty after any answer, or if the base is in no registry
     */
    Optional<String> problem(String base) {
        if (base.startsWith("tar://") || base.startsWith("docker://")) {
            return Optional.empty();
        }
        String host;
        try {
            host = ImageReference.parse(base.replaceFirst("^registry://", "")).getRegistry();
        } catch (InvalidImageReferenceException e) {
            return Optional.of("'" + base + "' is no name of an image");
        }
        // a name look-up has no deadline of its own, so a thread that may be abandoned does all the work
        CompletableFuture<Optional<String>> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> answer.complete(ask(host)), "registry");
        thread.setDaemon(true);
        thread.start();
        return answer.completeOnTimeout(
                        Optional.of(host + " did not answer within " + patience.toSeconds() + " s"),
                        patience.toMillis(),
                        TimeUnit.MILLISECONDS)
                .join();
    }

    private Optional<String> ask(String host) {
        // a registry on this machine is the only one that Jib uses without TLS
        String scheme = host.startsWith("localhost:") || host.startsWith("127.0.0.1:") ? "http" : "https";
        try {
            HttpClient.newBuilder()
                    .connectTimeout(patience)
                    .build()
                    .send(
                            HttpRequest.newBuilder(URI.create(scheme + "://" + host + "/v2/"))
                                    .timeout(patience)
                                    .build(),
                            HttpResponse.BodyHandlers.discarding());
            return Optional.empty();
        } catch (IOException e) {
            Throwable cause = e;
            while (cause.getMessage() == null && cause.getCause() != null) {
                cause = cause.getCause();
            }
            String reason = cause.getMessage() == null ? "it is unknown or cannot be connected" : cause.getMessage();
            return Optional.of(host + " cannot be asked: " + reason);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        } catch (RuntimeException e) {
            return Optional.of(host + " cannot be asked: " + e.getMessage());
        }
    }
}
