package io.enipam.examples.swarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.enipam.sdk.CommandSpec.Impact;
import io.enipam.sdk.Feed;
import io.enipam.sdk.RpcCall;
import io.enipam.sdk.RpcException;
import io.enipam.sdk.RpcException.Code;
import io.enipam.sdk.RpcMethod;
import io.enipam.sdk.RpcService;
import io.enipam.swarm.v1.SwarmProto;
import io.enipam.swarm.v1.SwarmProto.CreateNetworkRequest;
import io.enipam.swarm.v1.SwarmProto.CreateNodeRequest;
import io.enipam.swarm.v1.SwarmProto.CreateServiceRequest;
import io.enipam.swarm.v1.SwarmProto.CreateTaskRequest;
import io.enipam.swarm.v1.SwarmProto.GetRequest;
import io.enipam.swarm.v1.SwarmProto.Kind;
import io.enipam.swarm.v1.SwarmProto.ListReply;
import io.enipam.swarm.v1.SwarmProto.ListRequest;
import io.enipam.swarm.v1.SwarmProto.NetworkSpec;
import io.enipam.swarm.v1.SwarmProto.Port;
import io.enipam.swarm.v1.SwarmProto.RemoveRequest;
import io.enipam.swarm.v1.SwarmProto.ServiceSpec;
import io.enipam.swarm.v1.SwarmProto.UpdateNetworkRequest;
import io.enipam.swarm.v1.SwarmProto.UpdateServiceRequest;
import io.enipam.swarm.v1.SwarmProto.UpdateTaskRequest;
import io.enipam.swarm.v1.SwarmProto.WatchReply;
import io.enipam.swarm.v1.SwarmProto.WatchRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The service {@code enipam.swarm.v1.Swarm}, as the host calls it. */
class SwarmRpcTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final World world = new World();
    private RpcService service;

    @BeforeEach
    void start() {
        world.start();
        service = world.replica.part().services().get(0);
    }

    @AfterEach
    void end() {
        world.close();
    }

    private RpcMethod method(String name) {
        return service.methods().stream()
                .filter(method -> method.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private byte[] bytes(String method, byte[] request) {
        byte[] reply = ((RpcMethod.Unary) method(method)).answer().apply(RpcCall.of(request, Instant.MAX));
        world.replica.drain();
        return reply;
    }

    private <R> R call(String method, MessageLite request, Parser<R> reply) {
        return read(reply, bytes(method, request.toByteArray()));
    }

    private static <R> R read(Parser<R> parser, byte[] bytes) {
        try {
            return parser.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    private Feed<byte[]> stream(String method, MessageLite request) {
        return ((RpcMethod.Streaming) method(method))
                .open()
                .apply(RpcCall.of(request.toByteArray(), Instant.MAX), () -> {});
    }

    private List<ListReply> list(String method, String ofService) {
        List<ListReply> replies = new ArrayList<>();
        try (Feed<byte[]> feed =
                stream(method, ListRequest.newBuilder().setService(ofService).build())) {
            List<byte[]> some = feed.take(2);
            while (!some.isEmpty() || !feed.ended()) {
                some.forEach(each -> replies.add(read(ListReply.parser(), each)));
                some = feed.take(2);
            }
        }
        return replies;
    }

    private SwarmProto.Network network(String name) {
        return call(
                "CreateNetwork",
                CreateNetworkRequest.newBuilder()
                        .setSpec(NetworkSpec.newBuilder().setName(name).setIngress(name.equals("ingress")))
                        .build(),
                SwarmProto.Network.parser());
    }

    private SwarmProto.Service service(String name, SwarmProto.Network network, int port) {
        ServiceSpec.Builder spec = ServiceSpec.newBuilder()
                .setName(name)
                .setMode(SwarmProto.EndpointMode.ENDPOINT_MODE_VIP)
                .addPorts(Port.newBuilder().setTarget(80).setPublished(port));
        spec.addNetworksBuilder().setNetwork(network.getId());
        return call(
                "CreateService", CreateServiceRequest.newBuilder().setSpec(spec).build(), SwarmProto.Service.parser());
    }

    private static void refused(Code code, String text, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RpcException.class, refused -> {
            assertThat(refused.code()).isEqualTo(code);
            assertThat(refused).hasMessageContaining(text);
        });
    }

    @Test
    void aServiceIsCreatedChangedAndRemovedWithItsTask() {
        SwarmProto.Network ingress = network("ingress");
        SwarmProto.Network front = network("front");
        SwarmProto.Node node = call(
                "CreateNode", CreateNodeRequest.newBuilder().setName("node-1").build(), SwarmProto.Node.parser());
        SwarmProto.Service web = service("web", front, 8080);
        SwarmProto.Task made = call(
                "CreateTask",
                CreateTaskRequest.newBuilder()
                        .setService(web.getId())
                        .setName("web.1")
                        .setNode(node.getId())
                        .build(),
                SwarmProto.Task.parser());
        GetRequest itself = GetRequest.newBuilder()
                .setId(made.getId())
                .setService(web.getId())
                .build();
        SwarmProto.Task task = call("GetTask", itself, SwarmProto.Task.parser());
        assertThat(task.getState()).isEqualTo("PENDING");
        assertThat(task.getAttachmentsList())
                .extracting(SwarmProto.Attachment::getNetwork)
                .containsExactly(ingress.getId(), front.getId());
        SwarmProto.Service allocated =
                call("GetService", GetRequest.newBuilder().setId(web.getId()).build(), SwarmProto.Service.parser());
        assertThat(allocated.getVirtualIpsList())
                .extracting(SwarmProto.VirtualIp::getAddress)
                .first()
                .asString()
                .startsWith("10.255.0.");
        assertThat(allocated.getPorts(0).getPublished()).isEqualTo(8080);

        UpdateServiceRequest other = UpdateServiceRequest.newBuilder()
                .setId(web.getId())
                .setVersion(allocated.getVersion())
                .setSpec(allocated.getSpec().toBuilder()
                        .setPorts(0, allocated.getPorts(0).toBuilder().setPublished(9090)))
                .build();
        call("UpdateService", other, SwarmProto.Service.parser());
        assertThat(world.published(web.getId())).containsExactly(9090);
        long version = call(
                        "GetService", GetRequest.newBuilder().setId(web.getId()).build(), SwarmProto.Service.parser())
                .getVersion();
        refused(
                Code.FAILED_PRECONDITION,
                "update out of sequence: the version is " + version + " now",
                () -> call("UpdateService", other, SwarmProto.Service.parser()));
        SwarmProto.Task running = call(
                "UpdateTask",
                UpdateTaskRequest.newBuilder()
                        .setId(made.getId())
                        .setService(web.getId())
                        .setVersion(call("GetTask", itself, SwarmProto.Task.parser())
                                .getVersion())
                        .setState("RUNNING")
                        .build(),
                SwarmProto.Task.parser());
        assertThat(running.getState()).isEqualTo("RUNNING");
        refused(
                Code.INVALID_ARGUMENT,
                "does not become PENDING again",
                () -> call(
                        "UpdateTask",
                        UpdateTaskRequest.newBuilder()
                                .setId(made.getId())
                                .setService(web.getId())
                                .setVersion(call("GetTask", itself, SwarmProto.Task.parser())
                                        .getVersion())
                                .setState("PENDING")
                                .build(),
                        SwarmProto.Task.parser()));
        RemoveRequest network = RemoveRequest.newBuilder().setId(front.getId()).build();
        refused(Code.FAILED_PRECONDITION, "in use by service", () -> bytes("RemoveNetwork", network.toByteArray()));
        bytes(
                "RemoveService",
                RemoveRequest.newBuilder().setId(web.getId()).build().toByteArray());
        bytes(
                "RemoveTask",
                RemoveRequest.newBuilder()
                        .setId(made.getId())
                        .setService(web.getId())
                        .build()
                        .toByteArray());
        assertThat(world.services()).isEmpty();
        bytes("RemoveNetwork", network.toByteArray());
        refused(Code.NOT_FOUND, "not found", () -> bytes("RemoveNetwork", network.toByteArray()));
    }

    @Test
    void whatIsWrongIsRefusedInTheWordsOfTheControlApiAndNothingIsLeft() {
        SwarmProto.Network front = network("front");
        refused(Code.ALREADY_EXISTS, "network front already exists", () -> network("front"));
        refused(Code.INVALID_ARGUMENT, "name must be valid as a DNS name component", () -> network("a b"));
        refused(Code.INVALID_ARGUMENT, "name must be valid", () -> bytes("CreateNetwork", new byte[0]));
        refused(Code.INVALID_ARGUMENT, "no message", () -> bytes("CreateNetwork", new byte[] {(byte) 0xff}));
        refused(
                Code.FAILED_PRECONDITION,
                "service needs ingress network, but no ingress network is present",
                () -> service("web", front, 80));
        refused(
                Code.UNIMPLEMENTED,
                "only the labels",
                () -> call(
                        "UpdateNetwork",
                        UpdateNetworkRequest.newBuilder()
                                .setId(front.getId())
                                .setVersion(world.version(front.getId()))
                                .setSpec(front.getSpec().toBuilder().setAttachable(true))
                                .build(),
                        SwarmProto.Network.parser()));
        refused(Code.INVALID_ARGUMENT, "network id must be given", () -> bytes("GetNetwork", new byte[0]));
        for (String id : List.of("../x", "a\u0000b", "x".repeat(2_000), "nobody")) {
            refused(
                    Code.NOT_FOUND,
                    "",
                    () -> bytes(
                            "GetTask", GetRequest.newBuilder().setId(id).build().toByteArray()));
        }
        refused(
                Code.INVALID_ARGUMENT,
                "there is no 77",
                () -> call(
                        "CreateService",
                        CreateServiceRequest.newBuilder()
                                .setSpec(ServiceSpec.newBuilder().setName("odd").setModeValue(77))
                                .build(),
                        SwarmProto.Service.parser()));
        refused(
                Code.INVALID_ARGUMENT,
                "",
                () -> call(
                        "CreateNetwork",
                        CreateNetworkRequest.newBuilder()
                                .setSpec(NetworkSpec.newBuilder()
                                        .setName("large")
                                        .putLabels("k", "x".repeat(300_000)))
                                .build(),
                        SwarmProto.Network.parser()));
        assertThatThrownBy(() -> ((RpcMethod.Unary) method("CreateNode"))
                        .answer()
                        .apply(RpcCall.of(
                                CreateNodeRequest.newBuilder()
                                        .setName("late")
                                        .build()
                                        .toByteArray(),
                                world.clock.instant())))
                .hasMessageContaining("deadline");
        assertThat(world.networks()).hasSize(1);
        assertThat(world.services()).isEmpty();
        assertThat(world.nodes()).isEmpty();
    }

    @Test
    void whatAListHasNotAWatchFromItsPositionTells() {
        for (int i = 0; i < 5; i++) {
            network("net-" + i);
        }
        List<ListReply> replies = list("ListNetworks", "");
        assertThat(replies).hasSizeGreaterThan(1);
        assertThat(replies.stream().flatMap(reply -> reply.getNetworksList().stream()))
                .hasSize(5);
        assertThat(list("ListNodes", ""))
                .singleElement()
                .satisfies(empty -> assertThat(empty.getPosition()).isNotEmpty());
        List<WatchReply> told = new ArrayList<>();
        WatchRequest networks = WatchRequest.newBuilder()
                .addKinds(Kind.NETWORK)
                .setAfter(replies.get(0).getPosition())
                .build();
        try (Feed<byte[]> watch = stream("Watch", networks)) {
            await().atMost(PATIENCE).until(() -> {
                network("more-" + world.networks().size());
                watch.take(100).forEach(each -> told.add(read(WatchReply.parser(), each)));
                return told.size() > 1;
            });
        }
        assertThat(told.get(0).getPosition()).isEqualTo(replies.get(0).getPosition());
        assertThat(told.get(0).hasNetwork()).isFalse();
        assertThat(told.get(1).getAttributesMap()).containsKey("name");
        WatchRequest behind = networks.toBuilder()
                .setAfter(told.get(told.size() - 2).getPosition())
                .build();
        try (Feed<byte[]> watch = stream("Watch", behind)) {
            assertThat(watch.take(2).stream().map(each -> read(WatchReply.parser(), each)))
                    .last()
                    .isEqualTo(told.get(told.size() - 1));
        }
        refused(
                Code.OUT_OF_RANGE,
                "another run",
                () -> stream(
                        "Watch",
                        WatchRequest.newBuilder().setAfter("00000000-3").build()));
        refused(
                Code.INVALID_ARGUMENT,
                "position",
                () -> stream(
                        "Watch",
                        WatchRequest.newBuilder()
                                .setAfterBytes(ByteString.copyFromUtf8("x"))
                                .build()));
        refused(
                Code.INVALID_ARGUMENT,
                "no such kind",
                () -> stream("Watch", WatchRequest.newBuilder().addKindsValue(9).build()));
    }

    @Test
    void theFileDescribesTheMethodsThatThereAre() {
        FileDescriptorSet files = read(FileDescriptorSet.parser(), service.descriptors());
        assertThat(files.getFile(0).getService(0).getMethodList())
                .extracting(each -> each.getName() + " " + each.getServerStreaming())
                .containsExactlyInAnyOrderElementsOf(service.methods().stream()
                        .map(each -> each.name() + " " + (each instanceof RpcMethod.Streaming))
                        .toList());
        assertThat(service.methods())
                .allMatch(each -> each.name().matches("(Get|List).*|Watch") == (each.impact() == Impact.READ));
    }
}
