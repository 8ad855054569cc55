package io.enipam.aliyun.client;

import com.aliyuncs.AcsRequest;
import com.aliyuncs.AcsResponse;
import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.auth.AlibabaCloudCredentialsProvider;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.profile.IClientProfile;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * The SDK's client, which reads an answer only if it is a whole JSON object. The SDK's own reader, given a body that ends
 * inside a string, appends to a buffer until the heap is full, and would take the whole process with it.
 */
final class WholeAnswerClient extends DefaultAcsClient {
    private final InstantSource clock = InstantSource.system();
    private volatile Optional<Duration> ahead = Optional.empty();

    WholeAnswerClient(IClientProfile profile, AlibabaCloudCredentialsProvider keys) {
        super(profile, keys);
    }

    /** How far the other side's clock is ahead, by the last answer with a date. */
    Optional<Duration> clockAhead() {
        return ahead;
    }

    @Override
    public <T extends AcsResponse> HttpResponse doAction(AcsRequest<T> request) throws ClientException {
        HttpResponse answer = super.doAction(request);
        date(answer).ifPresent(date -> ahead = Optional.of(Duration.between(clock.instant(), date)));
        if (answer.getHttpContentType() == FormatType.JSON && !isObject(answer.getHttpContentString())) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
        }
        return answer;
    }

    private static Optional<Instant> date(HttpResponse answer) {
        return answer.getHeaders().entrySet().stream()
                .filter(header -> "Date".equalsIgnoreCase(header.getKey()))
                .findFirst()
                .flatMap(header -> date(header.getValue()));
    }

    private static Optional<Instant> date(String text) {
        try {
            return Optional.of(ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant());
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
}
