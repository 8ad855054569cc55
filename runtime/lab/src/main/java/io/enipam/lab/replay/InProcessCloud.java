package io.enipam.lab.replay;

import com.aliyuncs.AcsRequest;
import com.aliyuncs.AcsResponse;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.exceptions.ServerException;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.profile.DefaultProfile;
import io.enipam.aliyun.client.SdkEcsApi.SdkClient;
import io.enipam.aliyun.client.StreamingAcsClient;
import io.enipam.emulator.EmulatedCloud;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.http.HttpReply;
import io.enipam.emulator.http.HttpReply.ApiReply;
import io.enipam.emulator.http.HttpReply.FullReply;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Alibaba's SDK on the emulated cloud, without a wire between them: each request is answered on the caller's thread, unsigned, and the
 * answer read as the shipped client reads it. Not thread-safe: one thread of a node runs at a time.
 */
final class InProcessCloud implements SdkClient {
    private static final String NO_ADDRESS = "InvalidVSwitchId.IpNotEnough";

    private final EmulatedCloud cloud;
    private final AnswerReader reader;
    private long exhausted;

    /** @param reader of the answers, which many nodes may have in common */
    InProcessCloud(EmulatedCloud cloud, AnswerReader reader) {
        this.cloud = cloud;
        this.reader = reader;
    }

    /** The shipped client's reading of answers. Making one takes milliseconds. */
    static final class AnswerReader extends StreamingAcsClient {
        AnswerReader() {
            super(DefaultProfile.getProfile());
        }

        private <T extends AcsResponse> T read(Class<T> type, ApiReply reply) throws ClientException {
            FullReply full = reply.written();
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
        if (reply instanceof ApiReply full) {
            return full.status() < 300 ? reader.read(request.getResponseClass(), full) : refused(full);
        } else if (reply instanceof HttpReply.TruncatedReply) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
        }
        throw new ClientException("SDK.ServerUnreachable", "the connection was closed");
    }

    private <T> T refused(ApiReply full) throws ClientException {
        String code = full.content().path("Code").asText();
        String message = full.content().path("Message").asText();
        exhausted += code.equals(NO_ADDRESS) ? 1 : 0;
        throw full.status() >= 500
                ? new ServerException(code, message, full.requestId())
                : new ClientException(code, message, full.requestId());
    }
}
