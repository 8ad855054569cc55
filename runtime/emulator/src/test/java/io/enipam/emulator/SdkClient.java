package io.enipam.emulator;

import com.aliyuncs.AcsRequest;
import com.aliyuncs.AcsResponse;
import com.aliyuncs.DefaultAcsClient;
import com.aliyuncs.exceptions.ClientException;
import com.aliyuncs.http.HttpClientConfig;
import com.aliyuncs.http.ProtocolType;
import com.aliyuncs.profile.DefaultProfile;

/** The real SDK, pointed at an emulator. */
final class SdkClient {
    private final CloudEmulator emulator;
    private final DefaultAcsClient client;

    SdkClient(CloudEmulator emulator) {
        this(emulator, "testsecret");
    }

    SdkClient(CloudEmulator emulator, String secret) {
        this.emulator = emulator;
        HttpClientConfig http = HttpClientConfig.getDefault();
        http.setProtocolType(ProtocolType.HTTP);
        // the SDK takes HTTP_PROXY of the environment even for loopback
        http.setNoProxy("127.0.0.1");
        http.setMaxRequests(64);
        http.setMaxRequestsPerHost(64);
        DefaultProfile profile = DefaultProfile.getProfile("cn-hangzhou", "testid", secret);
        profile.setHttpClientConfig(http);
        client = new DefaultAcsClient(profile);
    }

    <T extends AcsResponse> T call(AcsRequest<T> request) throws ClientException {
        request.setSysEndpoint("127.0.0.1:" + emulator.address().getPort());
        request.setSysReadTimeout(60_000);
        return client.getAcsResponse(request);
    }
}
