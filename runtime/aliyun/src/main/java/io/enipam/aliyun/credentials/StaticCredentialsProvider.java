package io.enipam.aliyun.credentials;

import java.util.Optional;

/** Keys of the configuration: they never change. Immutable. */
public final class StaticCredentialsProvider implements CredentialsProvider {
    private final CloudCredentials keys;

    public StaticCredentialsProvider(CredentialsConfig.Fixed choice) {
        this.keys = new CloudCredentials(choice.accessKeyId(), choice.accessKeySecret(), choice.securityToken(), Optional.empty());
    }

    @Override
    public CloudCredentials current() {
        return keys;
    }

    @Override
    public long generation() {
        return 0;
    }

    @Override
    public boolean refreshIfNewer(long generation) {
        return false;
    }

    @Override
    public String location() {
        return "access_key and access_secret in eni.json";
    }
}
