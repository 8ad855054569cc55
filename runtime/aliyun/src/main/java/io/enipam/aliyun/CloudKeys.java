package io.enipam.aliyun;

import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.credentials.CredentialChoice;
import io.enipam.aliyun.credentials.FileKeys;
import io.enipam.aliyun.credentials.FixedKeys;
import io.enipam.aliyun.credentials.KeySource;
import io.enipam.aliyun.credentials.RoleKeys;
import io.enipam.engine.port.TimeSource;

/** Makes the source of keys that the configuration asks for. */
final class CloudKeys {
    private CloudKeys() {}

    static KeySource of(CredentialChoice choice, MetadataClient metadata, TimeSource time) {
        if (choice instanceof CredentialChoice.Fixed fixed) {
            return new FixedKeys(fixed);
        }
        if (choice instanceof CredentialChoice.InFile file) {
            return new FileKeys(file.path(), time);
        }
        return new RoleKeys(metadata, time, CloudKeys::refresh);
    }

    /** A thread for each refresh: there is one every few hours, and it waits for nobody else's thread. */
    private static void refresh(Runnable task) {
        Thread thread = new Thread(task, "aliyun-keys");
        thread.setDaemon(true);
        thread.start();
    }
}
