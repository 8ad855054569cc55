package io.enipam.lab.replay;

import com.aliyuncs.AcsRequest;
import com.aliyuncs.AcsResponse;
import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.exceptions.ServerException;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.profile.DefaultProfile;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.aliyun.client.SdkEcsApi.SdkClient;
import io.enipam.emulator.EmulatedCloud;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.http.HttpReply;
import io.enipam.emulator.http.HttpReply.FullReply;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Alibaba's SDK on the emulated cloud, without a wire between them: each request is answered on the caller's thread, unsigned. A node asks
 * for the same descriptions again and again, and the SDK's reading of them would be most of a replay's work: one that is, but for the id
 * of the request, among the last few is not read again. Not thread-safe: one thread of a simulation runs at a time.
 */
final class InProcessCloud implements SdkClient {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int REMEMBERED = 4;
    private static final String NO_ADDRESS = "InvalidVSwitchId.IpNotEnough";

    private final EmulatedCloud cloud;
    private final AnswerReader reader;
    private final Map<String, AcsResponse> read = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, AcsResponse> eldest) {
            return size() > REMEMBERED;
        }
    };
    private long exhausted;

    /** @param reader of the answers, which many nodes may have in common */
    InProcessCloud(EmulatedCloud cloud, AnswerReader reader) {
        this.cloud = cloud;
        this.reader = reader;
    }

    /** The SDK's reading of answers. Making one takes milliseconds. */
    static final class AnswerReader extends DefaultAcsClient {
        AnswerReader() {
            super(DefaultProfile.getProfile());
        }

        private <T extends AcsResponse> T read(Class<T> type, FullReply full) throws ClientException {
            HttpResponse answer = new HttpResponse("in-process");
            answer.setStatus(full.status());
            answer.setHttpContent(full.text().getBytes(StandardCharsets.UTF_8), "UTF-8", FormatType.JSON);
            return readResponse(type, answer, FormatType.JSON);
        }
    }

    /** How many calls were refused since a vSwitch had no address left. */
    long exhausted() {
        return exhausted;
    }

    @Override
    public <T extends AcsResponse> T getAcsResponse(AcsRequest<T> request) throws ClientException {
        Map<String, String> query = new HashMap<>(request.getSysQueryParameters());
        query.put("Format", "JSON");
        byte[] none = {};
        Request sent =
                new Request(request.getSysMethod().name(), "/", query, request.getSysBodyParameters(), Map.of(), none);
        HttpReply reply = cloud.answer(sent);
        if (reply instanceof FullReply full) {
            return full.status() < 300 ? answer(request, full) : refused(full);
        } else if (reply instanceof HttpReply.TruncatedReply) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
        }
        throw new ClientException("SDK.ServerUnreachable", "the connection was closed");
    }

    private <T extends AcsResponse> T answer(AcsRequest<T> request, FullReply full) throws ClientException {
        Class<T> type = request.getResponseClass();
        // the gateway writes the id of the request first
        String key = type.getSimpleName() + full.text().substring(full.text().indexOf(',') + 1);
        AcsResponse known = read.get(key);
        if (known == null) {
            known = reader.read(type, full);
            if (request.getSysActionName().startsWith("Describe")) {
                read.put(key, known);
            }
        }
        return type.cast(known);
    }

    private <T> T refused(FullReply full) throws ClientException {
        try {
            JsonNode error = JSON.readTree(full.text());
            String code = error.path("Code").asText();
            String message = error.path("Message").asText();
            String request = error.path("RequestId").asText();
            exhausted += code.equals(NO_ADDRESS) ? 1 : 0;
            throw full.status() >= 500
                    ? new ServerException(code, message, request)
                    : new ClientException(code, message, request);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("the cloud answers what is no JSON", impossible);
        }
    }
}
