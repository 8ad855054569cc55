package io.enipam.aliyun.client;

import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.auth.AlibabaCloudCredentialsProvider;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.CallBack;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpClientConfig;
import com.aliyuncs.http.HttpRequest;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.http.IHttpClient;
import com.aliyuncs.profile.IClientProfile;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.Future;

/**
 * The SDK's client, which reads an answer only if it is a whole JSON object, also that of a refusal. The SDK's own reader, given a
 * body that ends inside a string, appends to a buffer until the heap is full, and given one that ends between two members, it loops
 * for ever: the first would end the process, the second keeps a thread of the client and the ENI that it works for.
 */
final class StrictJsonAcsClient extends DefaultAcsClient {
    private final InstantSource clock = InstantSource.system();
    private volatile Optional<Duration> ahead = Optional.empty();

    StrictJsonAcsClient(IClientProfile profile, AlibabaCloudCredentialsProvider keys) {
        super(profile, keys);
        setHttpClient(new StrictJsonHttpClient(getHttpClient()));
    }

    /** How far the other side's clock is ahead, by the last answer with a date. */
    Optional<Duration> clockAhead() {
        return ahead;
    }

    private static Optional<Instant> date(HttpResponse answer) {
        try {
            return answer.getHeaders().entrySet().stream()
                    .filter(header -> "Date".equalsIgnoreCase(header.getKey()))
                    .findFirst()
                    .map(header -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(header.getValue())));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static boolean isObject(String body) {
        try {
            return JsonParser.parseString(body).isJsonObject();
        } catch (JsonParseException e) {
            return false;
        }
    }

    /** Looks at each answer before the SDK reads it. */
    private final class StrictJsonHttpClient extends IHttpClient {
        private final IHttpClient http;

        StrictJsonHttpClient(IHttpClient http) {
            this.http = http;
        }

        @Override
        protected void init(HttpClientConfig config) {}

        @Override
        public HttpResponse syncInvoke(HttpRequest request) throws IOException, ClientException {
            HttpResponse answer = http.syncInvoke(request);
            date(answer).ifPresent(date -> ahead = Optional.of(Duration.between(clock.instant(), date)));
            if (answer.getHttpContentType() == FormatType.JSON && !isObject(answer.getHttpContentString())) {
                throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
            }
            return answer;
        }

        @Override
        public Future<HttpResponse> asyncInvoke(HttpRequest request, CallBack callback) throws IOException {
            return http.asyncInvoke(request, callback);
        }

        @Override
        public void ignoreSSLCertificate() {
            http.ignoreSSLCertificate();
        }

        @Override
        public void restoreSSLCertificate() {
            http.restoreSSLCertificate();
        }

        @Override
        public boolean isSingleton() {
            return http.isSingleton();
        }

        @Override
        public void close() throws IOException {
            http.close();
        }
    }
}
