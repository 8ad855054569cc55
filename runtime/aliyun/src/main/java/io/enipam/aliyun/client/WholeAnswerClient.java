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

/**
 * The SDK's client, which reads an answer only if it is a whole JSON object. The SDK's own reader, given a body that ends
 * inside a string, appends to a buffer until the heap is full, and would take the whole process with it.
 */
final class WholeAnswerClient extends DefaultAcsClient {
    WholeAnswerClient(IClientProfile profile, AlibabaCloudCredentialsProvider keys) {
        super(profile, keys);
    }

    @Override
    public <T extends AcsResponse> HttpResponse doAction(AcsRequest<T> request) throws ClientException {
        HttpResponse answer = super.doAction(request);
        if (answer.getHttpContentType() == FormatType.JSON && !isObject(answer.getHttpContentString())) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
        }
        return answer;
    }

    private static boolean isObject(String body) {
        try {
            return JsonParser.parseString(body).isJsonObject();
        } catch (JsonParseException e) {
            return false;
        }
    }
}
