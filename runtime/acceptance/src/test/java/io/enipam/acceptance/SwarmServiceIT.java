package io.enipam.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * {@code enipam.swarm.v1.Swarm} on the socket of a daemon of role cluster, called by a program that knows no more of it than reflection
 * tells, as grpcurl does.
 */
class SwarmServiceIT extends DaemonFixture {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final String SERVICE = "enipam.swarm.v1.Swarm";

    /** Calls methods with requests in protobuf's text format. */
    private static final class Client implements AutoCloseable {
        private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        private final ManagedChannel channel;
        private final ServiceDescriptor service;

        Client(Path socket) throws Exception {
            channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                    .eventLoopGroup(group)
                    .channelType(EpollDomainSocketChannel.class)
                    .withOption(ChannelOption.SO_KEEPALIVE, null)
                    .usePlaintext()
                    .build();
            service = described().findServiceByName("Swarm");
        }

        private FileDescriptor described() throws Exception {
            CompletableFuture<ServerReflectionResponse> told = new CompletableFuture<>();
            StreamObserver<ServerReflectionRequest> asks = ServerReflectionGrpc.newStub(channel)
                    .serverReflectionInfo(new StreamObserver<>() {
                        @Override
                        public void onNext(ServerReflectionResponse response) {
                            told.complete(response);
                        }

                        @Override
                        public void onError(Throwable error) {
                            told.completeExceptionally(error);
                        }

                        @Override
                        public void onCompleted() {}
                    });
            asks.onNext(ServerReflectionRequest.newBuilder()
                    .setFileContainingSymbol(SERVICE)
                    .build());
            ServerReflectionResponse response = told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            asks.onCompleted();
            assertThat(response.hasFileDescriptorResponse())
                    .as(response.toString())
                    .isTrue();
            return file(FileDescriptorProto.parseFrom(
                    response.getFileDescriptorResponse().getFileDescriptorProto(0)));
        }

        private static FileDescriptor file(FileDescriptorProto proto) throws DescriptorValidationException {
            return FileDescriptor.buildFrom(proto, new FileDescriptor[0]);
        }

        /** What a method answers, as it comes. */
        Iterator<DynamicMessage> stream(String method, String request) {
            MethodDescriptor described = service.findMethodByName(method);
            DynamicMessage.Builder asked = DynamicMessage.newBuilder(described.getInputType());
            try {
                TextFormat.merge(request, asked);
            } catch (TextFormat.ParseException e) {
                throw new IllegalArgumentException(request, e);
            }
            return ClientCalls.blockingServerStreamingCall(
                    channel,
                    io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder(
                                    ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(described.getInputType())),
                                    ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(described.getOutputType())))
                            .setFullMethodName(SERVICE + "/" + method)
                            .setType(described.isServerStreaming() ? MethodType.SERVER_STREAMING : MethodType.UNARY)
                            .build(),
                    CallOptions.DEFAULT.withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS),
                    asked.build());
        }

        /** The one answer of a method. */
        Message call(String method, String request) {
            return stream(method, request).next();
        }

        /** The objects of a list. */
        List<Message> list(String method, String field) {
            List<Message> objects = new ArrayList<>();
            stream(method, "").forEachRemaining(reply -> {
                for (Object each : (List<?>) value(reply, field)) {
                    objects.add((Message) each);
                }
            });
            return objects;
        }

        void refused(Status.Code code, String why, String method, String request) {
            assertThatThrownBy(() -> call(method, request))
                    .isInstanceOfSatisfying(StatusRuntimeException.class, refused -> {
                        assertThat(refused.getStatus().getCode()).isEqualTo(code);
                        assertThat(refused.getStatus().getDescription()).contains(why);
                    });
        }

        @Override
        public void close() {
            channel.shutdownNow();
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    /** A field of a message, {@code spec.name} for one of a message in it. */
    private static Object value(Message message, String path) {
        int dot = path.indexOf('.');
        String name = dot < 0 ? path : path.substring(0, dot);
        Object value = message.getField(message.getDescriptorForType().findFieldByName(name));
        return dot < 0 ? value : value((Message) value, path.substring(dot + 1));
    }

    private static String text(Message message, String path) {
        return value(message, path).toString();
    }

    private static String idOf(Message message) {
        return "id: '" + text(message, "id") + "' ";
    }

    private static String versionOf(Message message) {
        return idOf(message) + "version: " + text(message, "version") + " ";
    }

    private void serve() throws IOException {
        Path config = Files.writeString(scratch.resolve("enipam.yaml"), "extensions: [swarm]\nmetrics: {listen: ''}\n");
        daemon.startSwarm(config);
    }

    @Test
    void programsMakeChangeListWatchAndRemoveAllThatASwarmHasAndFindItAfterAKill() throws Exception {
        serve();
        Message network;
        Message node;
        Message service;
        List<String> before;
        String position;
        try (Client client = new Client(daemon.socket())) {
            Iterator<DynamicMessage> watch = client.stream("Watch", "");
            position = text(watch.next(), "position");
            client.call("CreateNetwork", "spec { name: 'ingress' ingress: true }");
            network = client.call("CreateNetwork", "spec { name: 'front' subnets { subnet: '10.82.0.0/24' } }");
            node = client.call("CreateNode", "name: 'node-1'");
            service = client.call(
                    "CreateService",
                    "spec { name: 'web' mode: ENDPOINT_MODE_VIP networks { network: '" + text(network, "id")
                            + "' } ports { target: 80 published: 8080 } }");
            String ofService = "service: '" + text(service, "id") + "' ";
            for (int i = 1; i <= 3; i++) {
                client.call("CreateTask", ofService + "name: 'web." + i + "' node: '" + text(node, "id") + "'");
            }
            await("the tasks are allocated")
                    .atMost(PATIENCE)
                    .until(() -> client.list("ListTasks", "tasks").stream()
                            .allMatch(task -> text(task, "state").equals("PENDING")));
            changesAreInSequence(client, network, node, service);
            usedIsNotRemoved(client, network, node);

            Message task = client.list("ListTasks", "tasks").get(0);
            client.call("UpdateTask", versionOf(task) + ofService + "state: 'RUNNING' message: 'started'");
            client.call("RemoveTask", idOf(task) + ofService);
            client.refused(Status.Code.NOT_FOUND, "not found", "GetTask", idOf(task) + ofService);
            followed(watch, task);

            assertThat(addresses(client))
                    .hasSize(2)
                    .doesNotHaveDuplicates()
                    .allMatch(each -> each.contains("10.82.0."));
            assertThat(daemon.ok("swarm service ps web").lines())
                    .hasSize(3)
                    .noneMatch(line -> line.contains(text(task, "id")));
            before = objects(client);
        }

        daemon.kill();
        serve();
        try (Client client = new Client(daemon.socket())) {
            assertThat(objects(client)).isEqualTo(before);
            client.refused(Status.Code.OUT_OF_RANGE, "another run", "Watch", "after: '" + position + "'");
            client.call("RemoveService", idOf(service));
            String ofService = "service: '" + text(service, "id") + "' ";
            client.list("ListTasks", "tasks").forEach(task -> client.call("RemoveTask", idOf(task) + ofService));
            await("the service goes with its last task")
                    .atMost(PATIENCE)
                    .until(() -> client.list("ListServices", "services").isEmpty());
            client.call("RemoveNode", idOf(node));
            client.call("RemoveNetwork", idOf(network));
            assertThat(client.list("ListNodes", "nodes")).isEmpty();
            assertThat(client.list("ListNetworks", "networks"))
                    .singleElement()
                    .satisfies(left -> assertThat(text(left, "spec.name")).isEqualTo("ingress"));
        }
    }

    private static void changesAreInSequence(Client client, Message network, Message node, Message service) {
        Message now = client.call("GetNetwork", idOf(network));
        Message labelled = client.call(
                "UpdateNetwork",
                versionOf(now)
                        + "spec { name: 'front' labels { key: 'team' value: 'a' } subnets { subnet: '10.82.0.0/24' } }");
        assertThat(labelled.toString()).contains("team");
        client.refused(
                Status.Code.FAILED_PRECONDITION,
                "the version is " + text(labelled, "version") + " now",
                "UpdateNetwork",
                versionOf(now) + "spec { name: 'front' subnets { subnet: '10.82.0.0/24' } }");
        Message renamed = client.call("UpdateNode", versionOf(client.call("GetNode", idOf(node))) + "name: 'node-2'");
        assertThat(text(renamed, "name")).isEqualTo("node-2");
        Message published = client.call(
                "UpdateService",
                versionOf(client.call("GetService", idOf(service)))
                        + "spec { name: 'web' mode: ENDPOINT_MODE_VIP networks { network: '" + text(network, "id")
                        + "' } ports { target: 80 published: 8081 } }");
        await("the port is another one")
                .atMost(PATIENCE)
                .until(() ->
                        client.call("GetService", idOf(published)).toString().matches("(?s).*\nports \\{[^}]*8081.*"));
    }

    private static void usedIsNotRemoved(Client client, Message network, Message node) {
        client.refused(Status.Code.FAILED_PRECONDITION, "in use", "RemoveNetwork", idOf(network));
        client.refused(Status.Code.FAILED_PRECONDITION, "in use", "RemoveNode", idOf(node));
        client.refused(Status.Code.ALREADY_EXISTS, "already exists", "CreateNode", "name: 'node-2'");
        client.refused(Status.Code.INVALID_ARGUMENT, "DNS name", "CreateNode", "name: '-'");
    }

    /** Each object was told with each change, in order, the task's end last. */
    private static void followed(Iterator<DynamicMessage> watch, Message task) {
        List<String> told = new ArrayList<>();
        String last = "TASK REMOVE " + text(task, "id");
        while (told.isEmpty() || !told.get(told.size() - 1).equals(last)) {
            Message event = watch.next();
            told.add(text(event, "kind") + " " + text(event, "action") + " " + text(event, "id"));
        }
        List<String> kinds = told.stream()
                .map(each -> each.substring(0, each.lastIndexOf(' ')))
                .distinct()
                .toList();
        assertThat(kinds)
                .containsExactlyInAnyOrder(
                        "NETWORK CREATE",
                        "NETWORK UPDATE",
                        "NODE CREATE",
                        "NODE UPDATE",
                        "SERVICE CREATE",
                        "SERVICE UPDATE",
                        "TASK CREATE",
                        "TASK UPDATE",
                        "TASK REMOVE");
        List<String> ofTask =
                told.stream().filter(each -> each.endsWith(text(task, "id"))).toList();
        assertThat(ofTask.get(0)).startsWith("TASK CREATE");
    }

    private static List<String> objects(Client client) {
        return Stream.of(
                        client.list("ListNetworks", "networks"),
                        client.list("ListServices", "services"),
                        client.list("ListTasks", "tasks"),
                        client.list("ListNodes", "nodes"))
                .flatMap(List::stream)
                .map(Message::toString)
                .toList();
    }

    private static List<String> addresses(Client client) {
        return client.list("ListTasks", "tasks").stream()
                .map(task -> value(task, "attachments").toString())
                .toList();
    }
}
