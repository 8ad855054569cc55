package io.enipam.aliyun.client;

import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.CallBack;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpClientConfig;
import com.aliyuncs.http.HttpRequest;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.http.HttpUtil;
import com.aliyuncs.http.IHttpClient;
import com.aliyuncs.utils.EnvironmentUtils;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;

/**
 * The SDK's calls on the JDK's HTTP client, which the daemon has for other servers, too: the SDK's own brings 400 classes along and
 * a second reading of the authorities' certificates. A call is sent once, goes by the proxy that the environment names, and ends within
 * its read timeout, the whole answer included; an interrupt ends it, too. Thread-safe.
 *
 * <p>An answer is passed on only if it is a whole JSON object, also that of a refusal. The SDK's reader, given a body that ends
 * inside a string, appends to a buffer until the heap is full, and given one that ends between two members, it loops for ever: the
 * first would end the process, the second keeps a thread of the client and the ENI that it works for.
 */
public final class SdkHttpClient extends IHttpClient {
    /** The JDK sets them itself. */
    private static final Set<String> OF_THE_CLIENT = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    static {
        OF_THE_CLIENT.addAll(Set.of("Connection", "Content-Length", "Expect", "Host", "Upgrade"));
    }

    private final Map<Way, HttpClient> clients = new ConcurrentHashMap<>();
    private final InstantSource clock = InstantSource.system();
    private volatile Optional<Duration> ahead = Optional.empty();

    /** What connections are shared by. */
    private record Way(boolean tls, Optional<InetSocketAddress> proxy) {}

    /** For the SDK, which makes it by its name. */
    public SdkHttpClient(HttpClientConfig config) throws ClientException {
        super(config);
    }

    @Override
    protected void init(HttpClientConfig config) {}

    /** How far the other side's clock is ahead, by the last answer with a date. */
    Optional<Duration> clockAhead() {
        return ahead;
    }

    @Override
    public HttpResponse syncInvoke(HttpRequest request) throws IOException, ClientException {
        URI uri = URI.create(request.getSysUrl());
        Way way = new Way("https".equalsIgnoreCase(uri.getScheme()), proxy(uri, request));
        long most = Optional.ofNullable(request.getSysReadTimeout())
                .map(Integer::longValue)
                .orElse(clientConfig.getReadTimeoutMillis());
        java.net.http.HttpResponse<byte[]> answer = WholeAnswer.of(
                clients.computeIfAbsent(way, this::open), message(uri, request), Duration.ofMillis(most));
        date(answer).ifPresent(date -> ahead = Optional.of(Duration.between(clock.instant(), date)));
        HttpResponse read = read(answer);
        if (read.getHttpContentType() == FormatType.JSON && !isObject(read.getHttpContentString())) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
        }
        return read;
    }

    /** The proxy of the environment for a call; the SDK adds the proxy's password to the headers. */
    private Optional<InetSocketAddress> proxy(URI uri, HttpRequest request) throws ClientException {
        if (!HttpUtil.needProxy(uri.getHost(), clientConfig.getNoProxy(), EnvironmentUtils.getNoProxy())) {
            return Optional.empty();
        }
        Proxy proxy = "https".equalsIgnoreCase(uri.getScheme())
                ? HttpUtil.getJDKProxy(clientConfig.getHttpsProxy(), EnvironmentUtils.getHttpsProxy(), request)
                : HttpUtil.getJDKProxy(clientConfig.getHttpProxy(), EnvironmentUtils.getHttpProxy(), request);
        // by name: its address may change
        return proxy.address() instanceof InetSocketAddress found
                ? Optional.of(InetSocketAddress.createUnresolved(found.getHostString(), found.getPort()))
                : Optional.empty();
    }

    private HttpClient open(Way way) {
        return WholeAnswer.client(
                way.tls,
                Duration.ofMillis(clientConfig.getConnectionTimeoutMillis()),
                way.proxy.map(ProxySelector::of).orElse(HttpClient.Builder.NO_PROXY));
    }

    private static java.net.http.HttpRequest.Builder message(URI uri, HttpRequest request) {
        byte[] body = request.getSysMethod().hasContent() ? request.getHttpContent() : null;
        java.net.http.HttpRequest.Builder message = java.net.http.HttpRequest.newBuilder(uri)
                .method(
                        request.getSysMethod().name(),
                        body == null || body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        request.getSysHeaders().forEach((name, value) -> {
            if (!OF_THE_CLIENT.contains(name)) {
                message.setHeader(name, value);
            }
        });
        return message.setHeader("Accept-Encoding", "identity");
    }

    private static HttpResponse read(java.net.http.HttpResponse<byte[]> answer) {
        HttpResponse read = new HttpResponse(answer.uri().toString());
        read.setStatus(answer.statusCode());
        if (answer.body().length > 0) {
            String type = answer.headers().firstValue("Content-Type").orElse("");
            read.setHttpContent(answer.body(), "UTF-8", FormatType.mapAcceptToFormat(type.split(";", 2)[0].strip()));
        }
        answer.headers().map().forEach((name, values) -> read.putHeaderParameter(name, values.get(0)));
        return read;
    }

    private static Optional<Instant> date(java.net.http.HttpResponse<?> answer) {
        try {
            return answer.headers()
                    .firstValue("Date")
                    .map(text -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static boolean isObject(String body) {
        try (JsonReader json = new JsonReader(new StringReader(body))) {
            boolean object = json.peek() == JsonToken.BEGIN_OBJECT;
            json.skipValue();
            return object && json.peek() == JsonToken.END_DOCUMENT;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public Future<HttpResponse> asyncInvoke(HttpRequest request, CallBack callback) {
        throw new UnsupportedOperationException("no call is made so");
    }

    @Override
    public void ignoreSSLCertificate() {
        throw new UnsupportedOperationException("certificates are always checked");
    }

    @Override
    public void restoreSSLCertificate() {}

    @Override
    public boolean isSingleton() {
        return false;
    }

    @Override
    public void close() {}
}
