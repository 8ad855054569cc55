package io.enipam.aliyun.credentials;

import java.util.Optional;

/** Keys of the configuration: they never change. Immutable. */
public final class FixedKeys implements KeySource {
    private final Keys keys;

    public FixedKeys(CredentialChoice.Fixed choice) {
        this.keys = new Keys(choice.accessKeyId(), choice.accessKeySecret(), choice.securityToken(), Optional.empty());
    }

    @Override
    public Keys current() {
        return keys;
    }

    @Override
    public long generation() {
        return 0;
    }

    @Override
    public boolean newerThan(long generation) {
        return false;
    }

    @Override
    public String place() {
        return "access_key and access_secret in eni.json";
    }
}
