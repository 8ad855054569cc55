package io.enipam.kubernetes.node;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.kubernetes.api.ApiServerClient;
import io.enipam.kubernetes.api.RequestListener;
import io.enipam.kubernetes.testing.FakeApiServer;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeIdentityCheckTest {
    private static final String BOOT_ID = "5a2e0a3c-3b9f-4f5e-9f68-6a8c4f1e7d21";

    @TempDir
    private Path dir;

    private final FakeApiServer server = new FakeApiServer();
    private final ApiServerClient calls = server.calls(RequestListener.NONE);

    @AfterEach
    void close() {
        calls.close();
        server.close();
    }

    @Test
    void aNameThatNoNodeHasIsNoGroundToTakeAnything() {
        assertThatThrownBy(() -> vouch("iz2ze-1"))
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the API server has no node 'iz2ze-1': set node.name");
    }

    @Test
    void aNameThatAnotherMachineHasIsNoneEither() throws IOException {
        create("node-1", "00000000-3b9f-4f5e-9f68-6a8c4f1e7d21");
        assertThatThrownBy(() -> vouch("node-1")).cause().hasMessageContaining("is another machine");
    }

    @Test
    void theMachineItselfIsKnownByItsKernelAndWhereNobodyTellsThatByItsName() throws IOException {
        create("node-1", BOOT_ID);
        create("node-2", null);
        assertThatCode(() -> vouch("node-1")).doesNotThrowAnyException();
        assertThatCode(() -> vouch("node-2")).doesNotThrowAnyException();
    }

    private void vouch(String node) throws Exception {
        Path bootId = Files.writeString(dir.resolve("boot_id"), BOOT_ID + "\n");
        new NodeIdentityCheck(calls, node, bootId).verify().get(30, SECONDS);
    }

    private void create(String name, String bootId) {
        server.client()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewStatus()
                        .withNewNodeInfo()
                        .withBootID(bootId)
                        .endNodeInfo()
                        .endStatus()
                        .build())
                .create();
    }
}
