package io.enipam.aliyun.client;

import com.aliyuncs.auth.AlibabaCloudCredentials;
import com.aliyuncs.auth.AlibabaCloudCredentialsProvider;
import com.aliyuncs.auth.BasicCredentials;
import com.aliyuncs.auth.BasicSessionCredentials;
import com.aliyuncs.exceptions.ClientException;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.credentials.KeySource;
import io.enipam.aliyun.credentials.Keys;
import io.enipam.aliyun.credentials.KeysException;

/** The keys as the SDK's signer asks for them, before each request. Thread-safe. */
final class SdkKeys implements AlibabaCloudCredentialsProvider {
    private final KeySource source;

    SdkKeys(KeySource source) {
        this.source = source;
    }

    @Override
    public AlibabaCloudCredentials getCredentials() throws ClientException {
        try {
            Keys keys = source.current();
            return keys.securityToken()
                    .<AlibabaCloudCredentials>map(
                            token -> new BasicSessionCredentials(keys.accessKeyId(), keys.accessKeySecret(), token))
                    .orElseGet(() -> new BasicCredentials(keys.accessKeyId(), keys.accessKeySecret()));
        } catch (KeysException e) {
            throw new ClientException(
                    e.passing() ? ErrorReactions.CREDENTIALS_AWAY : ErrorReactions.NO_CREDENTIALS, e.getMessage());
        }
    }
}
