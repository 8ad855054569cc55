package io.enipam.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.enipam.daemon.testing.LivingDaemon;
import io.enipam.daemon.testing.SocketClient;
import io.enipam.engine.testing.TestThreads;
import io.enipam.store.StoreOptions;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.ErrorDetail;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.ListInUseRequest;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon on a small file system of its own that is really full. Needs root, to mount it; else it is skipped. */
class FullDiskTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    /** Journal files of 256 KiB: some hundred calls fill one. */
    private static final StoreOptions STORE = new StoreOptions(256 << 10, 4096, Clock.systemUTC());

    private static final int CALLERS = 4;
    private static final Metadata.Key<ErrorDetail> DETAIL =
            Metadata.Key.of("enipam-error-bin", ProtoUtils.metadataMarshaller(ErrorDetail.getDefaultInstance()));

    @TempDir
    Path temp;

    private Path disk;
    private volatile boolean enough;
    /** By pod: whether its last call was an ADD that was acknowledged, or a DEL; absent if nobody knows. */
    private final Map<String, Boolean> acknowledged = new ConcurrentHashMap<>();

    @BeforeEach
    void aSmallDisk() throws Exception {
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                .as("mounting a small file system needs root")
                .isEqualTo(0);
        disk = Files.createDirectory(temp.resolve("disk"));
        assumeThat(run("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk.toString()))
                .as("a tmpfs can be mounted here")
                .isZero();
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            run("umount", "-l", disk.toString());
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    void itTurnsAddsAwayEndsLeasesAndRecoversByItselfAndNothingAcknowledgedIsLost() throws Exception {
        Path root = Files.createDirectory(disk.resolve("root"));
        DaemonLayout layout = DaemonLayout.below(root);
        Files.createDirectories(layout.enipamYaml().getParent());
        Files.writeString(layout.enipamYaml(), "pool: {cool_down: 0s}\n");
        Path ballast = disk.resolve("ballast");
        try (LivingDaemon daemon = LivingDaemon.start(root, STORE)) {
            SocketClient client = daemon.client();
            for (int i = 0; i < 4; i++) {
                add(client, "default/kept-" + i);
                add(client, "default/ended-" + i);
            }
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                String pod = "default/caller-" + i;
                callers.add(CompletableFuture.runAsync(() -> addAndDel(client, pod), TestThreads.PER_TASK));
            }

            fill(ballast);

            await().atMost(LONG).until(() -> status(client).getPhase().equals("DEGRADED"));
            await().atMost(LONG).until(() -> health(client) == ServingStatus.NOT_SERVING);
            assertThat(status(client).getConditionsList())
                    .anySatisfy(line -> assertThat(line).contains("No space left on device", root.toString()));
            assertThat(leases(client)).contains("default/kept-0", "default/ended-0");
            StatusRuntimeException refused =
                    catchThrowableOfType(StatusRuntimeException.class, () -> add(client, "default/turned-away"));
            assertThat(refused.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(refused).hasMessageContaining("No space left on device");
            assertThat(catchThrowableOfType(StatusRuntimeException.class, () -> del(client, "default/ended-0")))
                    .as("the journal keeps room for those who give something back")
                    .isNull();
            assertThat(leases(client)).contains("default/kept-0").doesNotContain("default/ended-0");

            Files.delete(ballast);

            await().atMost(LONG).until(() -> status(client).getPhase().equals("READY"));
            await().atMost(LONG).until(() -> health(client) == ServingStatus.SERVING);
            assertThat(status(client).getConditionsList()).isEmpty();
            add(client, "default/welcome");
            enough = true;
            callers.forEach(CompletableFuture::join);
            assertThat(Files.readAllLines(layout.auditLog()))
                    .as("a line that was cut off does not spoil the next one")
                    .last()
                    .asString()
                    .startsWith("{\"time\"")
                    .endsWith("}");
            assertNothingIsLost(client);
        }
        try (LivingDaemon again = LivingDaemon.start(root, STORE)) {
            assertNothingIsLost(again.client());
        }
    }

    /** The database needs no room of the disk then, and the file of the pod's connection does. */
    @Test
    void anAddOnAFullDiskIsToBeTriedAgainAlsoWhileTheJournalHasRoom() throws Exception {
        Path root = Files.createDirectory(disk.resolve("root"));
        Path ballast = disk.resolve("ballast");
        try (LivingDaemon daemon = LivingDaemon.start(root, STORE)) {
            SocketClient client = daemon.client();
            add(client, "default/before");
            fill(ballast);

            StatusRuntimeException refused =
                    catchThrowableOfType(StatusRuntimeException.class, () -> add(client, "default/turned-away"));

            assertThat(status(client).getPhase()).isEqualTo("READY");
            assertThat(refused).hasMessageContaining("No space left on device");
            ErrorDetail detail = refused.getTrailers().get(DETAIL);
            assertThat(detail.getCode()).isEqualTo("TRY_AGAIN");
            assertThat(detail.getCniCode()).isEqualTo(11);
            assertThat(leases(client)).containsExactly("default/before");
            Files.delete(ballast);
            add(client, "default/turned-away");
        }
    }

    private void addAndDel(SocketClient client, String name) {
        for (int i = 0; !enough; i++) {
            String pod = name + "-" + i % 3;
            try {
                if (acknowledged.getOrDefault(pod, false)) {
                    del(client, pod);
                } else {
                    add(client, pod);
                }
            } catch (StatusRuntimeException e) {
                assertThat(e).hasMessageContaining("No space left on device");
            }
        }
    }

    private void add(SocketClient client, String pod) {
        acknowledged.remove(pod);
        client.control().cniAdd(CniAddRequest.newBuilder().setPod(pod).build());
        acknowledged.put(pod, true);
    }

    /** One that failed is one to be tried again: until then nobody knows. */
    private void del(SocketClient client, String pod) {
        acknowledged.remove(pod);
        try {
            client.control().cniDel(CniDelRequest.newBuilder().setPod(pod).build());
        } catch (StatusRuntimeException e) {
            assertThat(leases(client)).as("a DEL that failed leaves the lease").contains(pod);
            acknowledged.put(pod, true);
            throw e;
        }
        acknowledged.put(pod, false);
    }

    private void assertNothingIsLost(SocketClient client) {
        Set<String> leases = leases(client);
        acknowledged.forEach((pod, held) -> {
            if (held) {
                assertThat(leases).contains(pod);
            } else {
                assertThat(leases).doesNotContain(pod);
            }
        });
        assertThat(acknowledged).containsEntry("default/kept-0", true).containsEntry("default/ended-0", false);
    }

    private static void fill(Path file) throws IOException {
        byte[] block = new byte[64 << 10];
        int size = block.length;
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW)) {
            while (size > 0) {
                try {
                    out.write(block, 0, size);
                } catch (IOException full) {
                    size /= 2;
                }
            }
        }
    }

    private static Set<String> leases(SocketClient client) {
        Set<String> pods = new TreeSet<>();
        client.inspect()
                .listInUse(ListInUseRequest.getDefaultInstance())
                .forEachRemaining(reply -> reply.getLeasesList().forEach(lease -> pods.add(lease.getPod())));
        return pods;
    }

    private static GetStatusReply status(SocketClient client) {
        return client.status();
    }

    private static ServingStatus health(SocketClient client) {
        return HealthGrpc.newBlockingStub(client.channel())
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus();
    }
}
