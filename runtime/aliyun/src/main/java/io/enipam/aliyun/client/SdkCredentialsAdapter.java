package io.enipam.aliyun.client;

import com.aliyuncs.auth.AlibabaCloudCredentials;
import com.aliyuncs.auth.AlibabaCloudCredentialsProvider;
import com.aliyuncs.auth.BasicCredentials;
import com.aliyuncs.auth.BasicSessionCredentials;
import com.aliyuncs.exceptions.ClientException;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.credentials.CloudCredentials;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.aliyun.credentials.CredentialsProvider.CredentialsException;

/** The keys as the SDK's signer asks for them, before each request. Thread-safe. */
final class SdkCredentialsAdapter implements AlibabaCloudCredentialsProvider {
    private final CredentialsProvider source;

    SdkCredentialsAdapter(CredentialsProvider source) {
        this.source = source;
    }

    @Override
    public AlibabaCloudCredentials getCredentials() throws ClientException {
        try {
            CloudCredentials keys = source.current();
            return keys.securityToken()
                    .<AlibabaCloudCredentials>map(
                            token -> new BasicSessionCredentials(keys.accessKeyId(), keys.accessKeySecret(), token))
                    .orElseGet(() -> new BasicCredentials(keys.accessKeyId(), keys.accessKeySecret()));
        } catch (CredentialsException e) {
            throw new ClientException(
                    e.transientFailure() ? ErrorReactions.CREDENTIALS_AWAY : ErrorReactions.NO_CREDENTIALS,
                    e.getMessage());
        }
    }
}
