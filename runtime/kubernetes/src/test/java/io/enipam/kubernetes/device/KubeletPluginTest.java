package io.enipam.kubernetes.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.enipam.kubelet.v1beta1.AllocateRequest;
import io.enipam.kubelet.v1beta1.ContainerAllocateRequest;
import io.enipam.kubelet.v1beta1.Device;
import io.enipam.kubelet.v1beta1.DevicePluginGrpc;
import io.enipam.kubelet.v1beta1.Empty;
import io.enipam.kubelet.v1beta1.ListAndWatchResponse;
import io.enipam.kubelet.v1beta1.RegisterRequest;
import io.enipam.kubelet.v1beta1.RegistrationGrpc;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeletPluginTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private KubeletPlugin plugin;
    private Kubelet kubelet;

    @BeforeEach
    void start() throws IOException {
        plugin = new KubeletPlugin(directory, KubeletPlugin.ENI);
        kubelet = new Kubelet();
    }

    @AfterEach
    void stop() {
        plugin.close();
        kubelet.close();
    }

    @Test
    void the_kubelet_learns_how_many_pods_can_have_an_eni_and_when_that_changes() throws IOException {
        plugin.count(2);
        kubelet.start();
        plugin.look();
        assertThat(plugin.trouble()).isEmpty();
        await().atMost(PATIENCE).until(() -> kubelet.counts.contains(2));
        plugin.count(3);
        await().atMost(PATIENCE).until(() -> kubelet.counts.contains(3));
        assertThat(kubelet.registrations).singleElement().satisfies(request -> {
            assertThat(request.getResourceName()).isEqualTo("aliyun/eni");
            assertThat(request.getVersion()).isEqualTo("v1beta1");
        });
    }

    @Test
    void a_kubelet_that_starts_anew_is_told_again() throws IOException {
        plugin.count(1);
        kubelet.start();
        plugin.look();
        plugin.look();
        assertThat(kubelet.registrations).hasSize(1);
        await().atMost(PATIENCE).until(() -> !kubelet.counts.isEmpty());
        kubelet.restart();
        kubelet.counts.clear();
        plugin.look();
        assertThat(kubelet.registrations).hasSize(2);
        await().atMost(PATIENCE).until(() -> kubelet.counts.contains(1));
    }

    @Test
    void a_socket_that_the_kubelet_has_removed_is_served_again() throws IOException {
        kubelet.start();
        plugin.look();
        Files.delete(directory.resolve("enipam-eni.sock"));
        plugin.look();
        assertThat(kubelet.registrations).hasSize(2);
        assertThat(directory.resolve("enipam-eni.sock")).exists();
    }

    @Test
    void without_a_kubelet_there_is_trouble_and_no_more() throws IOException {
        plugin.look();
        assertThat(plugin.trouble()).contains("there is no kubelet");
        kubelet.start();
        plugin.look();
        assertThat(plugin.trouble()).isEmpty();
    }

    @Test
    void a_kubelet_that_refuses_is_asked_again_at_the_next_look() throws IOException {
        kubelet.refusal = Optional.of(Status.INVALID_ARGUMENT.withDescription("no such version"));
        kubelet.start();
        plugin.look();
        assertThat(plugin.trouble()).contains("does not take aliyun/eni", "no such version");
        kubelet.refusal = Optional.empty();
        plugin.look();
        assertThat(plugin.trouble()).isEmpty();
    }

    @Test
    void each_container_that_is_about_to_start_gets_an_answer() throws IOException {
        kubelet.start();
        plugin.look();
        ManagedChannel channel = kubelet.sockets.connect(directory.resolve("enipam-eni.sock"));
        try {
            ContainerAllocateRequest container =
                    ContainerAllocateRequest.newBuilder().addDevicesIds("eni-0").build();
            assertThat(DevicePluginGrpc.newBlockingStub(channel)
                            .allocate(AllocateRequest.newBuilder()
                                    .addContainerRequests(container)
                                    .addContainerRequests(container)
                                    .build())
                            .getContainerResponsesList())
                    .hasSize(2);
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void nothing_is_left_behind() throws IOException {
        kubelet.start();
        plugin.look();
        plugin.close();
        assertThat(directory.resolve("enipam-eni.sock")).doesNotExist();
    }

    /** Takes registrations, and watches what is registered, as a kubelet does. */
    private final class Kubelet extends RegistrationGrpc.RegistrationImplBase {
        private final UnixSockets sockets = new UnixSockets();
        private final Queue<RegisterRequest> registrations = new ConcurrentLinkedQueue<>();
        private final Queue<Integer> counts = new ConcurrentLinkedQueue<>();
        private final Queue<ManagedChannel> channels = new ConcurrentLinkedQueue<>();
        private Optional<Server> server = Optional.empty();
        private volatile Optional<Status> refusal = Optional.empty();

        void start() throws IOException {
            server = Optional.of(sockets.serve(directory.resolve("kubelet.sock"), this));
        }

        void restart() throws IOException {
            server.orElseThrow().shutdownNow();
            channels.forEach(ManagedChannel::shutdownNow);
            Files.deleteIfExists(directory.resolve("enipam-eni.sock"));
            start();
        }

        @Override
        public void register(RegisterRequest request, StreamObserver<Empty> reply) {
            if (refusal.isPresent()) {
                reply.onError(refusal.get().asRuntimeException());
                return;
            }
            registrations.add(request);
            reply.onNext(Empty.getDefaultInstance());
            reply.onCompleted();
            ManagedChannel channel = sockets.connect(directory.resolve(request.getEndpoint()));
            channels.add(channel);
            // not as part of the plugin's call, which is over
            Context.ROOT.run(() -> watch(channel));
        }

        private void watch(ManagedChannel channel) {
            DevicePluginGrpc.newStub(channel).listAndWatch(Empty.getDefaultInstance(), new StreamObserver<>() {
                @Override
                public void onNext(ListAndWatchResponse list) {
                    List<Device> devices = list.getDevicesList();
                    assertThat(devices).allMatch(device -> device.getHealth().equals("Healthy"));
                    counts.add(devices.size());
                }

                @Override
                public void onError(Throwable error) {
                    // the plugin or this kubelet is gone
                }

                @Override
                public void onCompleted() {
                    // never, while the plugin lives
                }
            });
        }

        void close() {
            channels.forEach(ManagedChannel::shutdownNow);
            server.ifPresent(Server::shutdownNow);
            sockets.close();
        }
    }
}
