package io.enipam.node.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import io.enipam.sdk.ResourceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedPodsTest {
    private static final PodRef A = PodRef.parse("default/a");

    @TempDir
    Path directory;

    @Test
    void aPodExistsFromItsFirstAddUntilItIsDeleted() throws IOException {
        SimulatedPods pods = open(List.of());
        assertThat(find(pods)).isEmpty();

        pods.admit(A, "");
        String uid = find(pods).orElseThrow().uid();
        pods.admit(A, "");

        assertThat(uid).isNotEmpty();
        assertThat(find(pods).orElseThrow().uid()).isEqualTo(uid);
        pods.delete(A);
        assertThat(find(pods)).isEmpty();
    }

    @Test
    void aPodWhoseRuntimeTellsAnotherUidIsMadeAnewAndItsFormerSandboxDoesNotBringItBack() throws IOException {
        SimulatedPods pods = open(List.of());
        pods.admit(A, "uid-1");
        pods.admit(A, "uid-2");
        assertThat(find(pods).orElseThrow().uid()).isEqualTo("uid-2");

        pods.admit(A, "uid-1");
        pods.admit(A, "");

        assertThat(find(pods).orElseThrow().uid()).isEqualTo("uid-2");
    }

    @Test
    void deletingAPodThatIsNotThereIsRefused() throws IOException {
        SimulatedPods pods = open(List.of());

        assertThatThrownBy(() -> pods.delete(A))
                .isInstanceOfSatisfying(
                        IpamException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }

    @Test
    void afterARestartThePodsOfLeasesExistButNotTheDeletedOnes() throws IOException {
        SimulatedPods before = open(List.of());
        before.admit(A, "");
        String uid = find(before).orElseThrow().uid();
        List<Lease> leases = List.of(lease(A, "c1", uid), lease(PodRef.parse("default/b"), "c2", "uid-b"));
        before.delete(A);

        SimulatedPods after = open(leases);

        assertThat(find(after)).isEmpty();
        assertThat(after.list().toCompletableFuture().join().stream().map(Pod::uid))
                .containsExactly("uid-b");
    }

    @Test
    void aPodOfTheSameNameIsAnotherPodUnlessItIsTheSameSandbox() throws IOException {
        SimulatedPods pods = open(List.of());
        pods.admit(A, "");
        String first = find(pods).orElseThrow().uid();
        pods.delete(A);

        pods.admit(A, "");
        assertThat(find(pods).orElseThrow().uid()).isNotEqualTo(first);
        pods.delete(A);

        pods.admit(A, first);
        assertThat(find(pods).orElseThrow().uid()).isEqualTo(first);
        assertThat(open(List.of(lease(A, "c1", first)))
                        .find(A)
                        .toCompletableFuture()
                        .join())
                .isPresent();
    }

    @Test
    void aDamagedFileIsNamed() throws IOException {
        Files.writeString(directory.resolve("pods.json"), "{");

        assertThatThrownBy(() -> open(List.of())).hasMessageContaining("pods.json is damaged");
    }

    @Test
    void withoutAClusterEveryPodIsBelievedAndNoneCanBeDeleted() {
        UnverifiedPods pods = new UnverifiedPods();

        assertThat(pods.find(A).toCompletableFuture().join()).isPresent();
        assertThat(pods.list().toCompletableFuture().join()).isEmpty();
        assertThat(pods.isAuthoritative()).isFalse();
        for (int n = 0; n < 2 * UnverifiedPods.MOST; n++) {
            pods.admit(PodRef.parse("default/p-" + n), "uid-" + n);
        }
        pods.admit(A, "uid-a");
        assertThat(pods.find(A).toCompletableFuture().join().map(Pod::uid)).contains("uid-a");
        assertThat(pods.lastKnown()).isEqualTo(UnverifiedPods.MOST);
        assertThatThrownBy(() -> pods.delete(A)).hasMessageContaining("sandbox only");
    }

    @Test
    void thePodsOfConnectedSandboxesExistThoughTheDatabaseIsLostButForTheDeletedOnes() throws IOException {
        Attachment alive = new Attachment(
                new OwnerKey("net", "c-1", "eth0"), Optional.of(PodRef.parse("default/alive")), "uid-1", Set.of());
        Attachment doomed = new Attachment(
                new OwnerKey("net", "c-2", "eth0"), Optional.of(PodRef.parse("default/doomed")), "uid-2", Set.of());
        SimulatedPods.open(directory.resolve("pods.json"), List.of(), List.of(alive, doomed))
                .delete(PodRef.parse("default/doomed"));

        SimulatedPods again = SimulatedPods.open(directory.resolve("pods.json"), List.of(), List.of(alive, doomed));

        assertThat(again.list().toCompletableFuture().join())
                .extracting(pod -> pod.ref() + " " + pod.uid())
                .containsExactly("default/alive uid-1");
    }

    private SimulatedPods open(List<Lease> leases) throws IOException {
        return SimulatedPods.open(directory.resolve("pods.json"), leases, List.of());
    }

    private static Optional<Pod> find(SimulatedPods pods) {
        return pods.find(A).toCompletableFuture().join();
    }

    private static Lease lease(PodRef pod, String container, String uid) {
        Resource resource = new Resource(
                new ResourceId("eni-1/" + container),
                ResourceKind.ENI_IP,
                List.of(Address.parse("10.0.0.1/24")),
                "eni-1",
                Map.of());
        return new Lease(new OwnerKey("enipam", container, "eth0"), pod, uid, resource, Duration.ZERO, Instant.EPOCH);
    }
}
