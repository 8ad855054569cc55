package io.enipam.lab.replay;

import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.CallBack;
import com.aliyuncs.http.FormatType;
import com.aliyuncs.http.HttpClientConfig;
import com.aliyuncs.http.HttpRequest;
import com.aliyuncs.http.HttpResponse;
import com.aliyuncs.http.IHttpClient;
import io.enipam.emulator.EmulatedCloud;
import io.enipam.emulator.api.Request;
import io.enipam.emulator.http.HttpReply;
import io.enipam.emulator.http.HttpReply.FullReply;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Future;

/** The wire between Alibaba's SDK and the emulated cloud, without one: each request is answered on the caller's thread. */
final class InProcessCloud extends IHttpClient {
    private final EmulatedCloud cloud;

    InProcessCloud(EmulatedCloud cloud) {
        this.cloud = cloud;
    }

    @Override
    public HttpResponse syncInvoke(HttpRequest request) throws IOException, ClientException {
        String query = URI.create(request.getSysUrl()).getRawQuery();
        byte[] form = request.getHttpContent();
        String body = form == null ? "" : new String(form, StandardCharsets.UTF_8);
        HttpReply reply = cloud.answer(Request.of(request.getSysMethod().name(), query == null ? "" : query, body));
        if (reply instanceof FullReply full) {
            HttpResponse answer = new HttpResponse(request.getSysUrl());
            answer.setStatus(full.status());
            answer.setHttpContent(full.text().getBytes(StandardCharsets.UTF_8), "UTF-8", FormatType.JSON);
            return answer;
        } else if (reply instanceof HttpReply.TruncatedReply) {
            throw new ClientException("SDK.TornAnswer", "the answer is not a whole JSON object");
        }
        throw new IOException("the connection was closed");
    }

    @Override
    protected void init(HttpClientConfig config) {}

    @Override
    public Future<HttpResponse> asyncInvoke(HttpRequest request, CallBack callback) {
        throw new UnsupportedOperationException("no call is made so");
    }

    @Override
    public void ignoreSSLCertificate() {}

    @Override
    public void restoreSSLCertificate() {}

    @Override
    public boolean isSingleton() {
        return false;
    }

    @Override
    public void close() {}
}
