package io.enipam.aliyun.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.aliyuncs.utils.EnvironmentUtils;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.CallAttempt;
import io.enipam.aliyun.client.RetryingEcsApi.EcsTransport.Deadline;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsConfig;
import io.enipam.aliyun.credentials.CredentialsProvider.StaticCredentialsProvider;
import io.enipam.engine.testing.RealTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SdkProxyTest {
    @AfterEach
    void forget() {
        EnvironmentUtils.setHttpProxy(null);
        EnvironmentUtils.setHttpsProxy(null);
    }

    @Test
    void aCallGoesByTheProxyOfTheEnvironmentWithItsPassword() throws Exception {
        assertThat(askedOfAProxy("http"))
                .anyMatch(line -> line.startsWith("POST http://ecs.example.test/"))
                .contains(password());
    }

    @Test
    void theTunnelOfACallWithTlsIsAskedForWithThePassword() throws Exception {
        assertThat(askedOfAProxy("https"))
                .anyMatch(line -> line.startsWith("CONNECT ecs.example.test:443 "))
                .contains(password());
    }

    private static String password() {
        return "Proxy-Authorization: Basic "
                + Base64.getEncoder().encodeToString("user:secret".getBytes(StandardCharsets.UTF_8));
    }

    /** The lines of the request that a proxy gets; it refuses it. */
    private static List<String> askedOfAProxy(String scheme) throws Exception {
        try (ServerSocket proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RealTime time = new RealTime()) {
            CompletableFuture<List<String>> asked =
                    CompletableFuture.supplyAsync(() -> refuse(proxy), task -> new Thread(task).start());
            String url = "http://user:secret@127.0.0.1:" + proxy.getLocalPort();
            EnvironmentUtils.setHttpProxy(url);
            EnvironmentUtils.setHttpsProxy(url);
            StaticCredentialsProvider keys =
                    new StaticCredentialsProvider(new CredentialsConfig.Fixed("key", "secret"));
            EcsApi api = SdkEcsApi.transport(
                            keys, "cn-hangzhou", Optional.of(URI.create(scheme + "://ecs.example.test")))
                    .forAttempt(new CallAttempt(Deadline.in(RetryingEcsApi.BUDGET, time)));
            assertThatThrownBy(() -> api.deleteNetworkInterface("eni-1")).isInstanceOf(EcsException.class);
            return asked.get(30, TimeUnit.SECONDS);
        }
    }

    private static List<String> refuse(ServerSocket proxy) {
        try (Socket caller = proxy.accept()) {
            BufferedReader reader =
                    new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.UTF_8));
            List<String> lines =
                    reader.lines().takeWhile(line -> !line.isEmpty()).toList();
            caller.getOutputStream()
                    .write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
