package io.enipam.etcd;

import io.enipam.engine.testing.TestThreads;
import io.enipam.etcd.testing.EtcdServer;
import io.enipam.sdk.Journal;
import io.enipam.sdk.testkit.JournalContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a plugin's journal on etcd, whose process is killed. */
class EtcdJournalContractTest extends JournalContract {
    @TempDir
    Path temp;

    private final Clients clients = new Clients();
    private EtcdServer server;

    @BeforeAll
    static void assumeEtcd() {
        Clients.assumeEtcd();
    }

    @BeforeEach
    void begin() {
        server = EtcdServer.started(temp);
    }

    @AfterEach
    void end() {
        clients.close();
        server.close();
    }

    @Override
    protected Journal journal() {
        return clients.connect(server.endpoint()).of("node-ipam", TestThreads.PER_TASK);
    }

    @Override
    protected void crash() {
        server.kill();
        clients.disconnect(); // no commit is tried again after it
        server.start();
    }

    @Override
    protected int histories() {
        return Integer.getInteger("enipam.etcd.histories", 10);
    }
}
