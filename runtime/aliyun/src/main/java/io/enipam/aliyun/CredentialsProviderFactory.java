package io.enipam.aliyun;

import io.enipam.aliyun.client.MetadataClient;
import io.enipam.aliyun.credentials.CredentialsConfig;
import io.enipam.aliyun.credentials.FileCredentialsProvider;
import io.enipam.aliyun.credentials.StaticCredentialsProvider;
import io.enipam.aliyun.credentials.CredentialsProvider;
import io.enipam.aliyun.credentials.RamRoleCredentialsProvider;
import io.enipam.engine.port.TimeSource;

/** Makes the source of keys that the configuration asks for. */
final class CredentialsProviderFactory {
    private CredentialsProviderFactory() {}

    static CredentialsProvider of(CredentialsConfig choice, MetadataClient metadata, TimeSource time) {
        if (choice instanceof CredentialsConfig.Fixed fixed) {
            return new StaticCredentialsProvider(fixed);
        }
        if (choice instanceof CredentialsConfig.InFile file) {
            return new FileCredentialsProvider(file.path(), time);
        }
        return new RamRoleCredentialsProvider(metadata, time, CredentialsProviderFactory::refresh);
    }

    /** A thread for each refresh: there is one every few hours, and it waits for nobody else's thread. */
    private static void refresh(Runnable task) {
        Thread thread = new Thread(task, "aliyun-keys");
        thread.setDaemon(true);
        thread.start();
    }
}
