package io.enipam.examples.swarm.operate;

import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.enipam.examples.swarm.errors.Refused;
import io.enipam.examples.swarm.events.EventLog;
import io.enipam.examples.swarm.events.SwarmEvent;
import io.enipam.examples.swarm.model.Endpoint;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.examples.swarm.model.Task.State;
import io.enipam.examples.swarm.state.Control;
import io.enipam.examples.swarm.state.Tables;
import io.enipam.examples.swarm.state.Validation;
import io.enipam.sdk.CommandSpec.Impact;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import io.enipam.sdk.Feed;
import io.enipam.sdk.JournalException;
import io.enipam.sdk.Row;
import io.enipam.sdk.RpcCall;
import io.enipam.sdk.RpcException;
import io.enipam.sdk.RpcException.Code;
import io.enipam.sdk.RpcMethod;
import io.enipam.sdk.RpcService;
import io.enipam.sdk.Table;
import io.enipam.sdk.Transaction;
import io.enipam.swarm.v1.SwarmProto;
import io.enipam.swarm.v1.SwarmProto.CreateNetworkRequest;
import io.enipam.swarm.v1.SwarmProto.CreateNodeRequest;
import io.enipam.swarm.v1.SwarmProto.CreateServiceRequest;
import io.enipam.swarm.v1.SwarmProto.CreateTaskRequest;
import io.enipam.swarm.v1.SwarmProto.GetRequest;
import io.enipam.swarm.v1.SwarmProto.ListReply;
import io.enipam.swarm.v1.SwarmProto.ListRequest;
import io.enipam.swarm.v1.SwarmProto.RemoveReply;
import io.enipam.swarm.v1.SwarmProto.RemoveRequest;
import io.enipam.swarm.v1.SwarmProto.UpdateNetworkRequest;
import io.enipam.swarm.v1.SwarmProto.UpdateNodeRequest;
import io.enipam.swarm.v1.SwarmProto.UpdateServiceRequest;
import io.enipam.swarm.v1.SwarmProto.UpdateTaskRequest;
import io.enipam.swarm.v1.SwarmProto.WatchReply;
import io.enipam.swarm.v1.SwarmProto.WatchRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * {@code enipam.swarm.v1.Swarm}: the control API of {@code state} for programs. What is checked is checked there; here are messages and
 * statuses. Thread-safe.
 *
 * @param ingressSubnet of an ingress network that names none; empty for any
 */
record SwarmRpc(Swarm swarm, EventLog log, String ingressSubnet) {
    RpcService service() {
        FileDescriptorSet files = FileDescriptorSet.newBuilder()
                .addFile(SwarmProto.getDescriptor().toProto())
                .build();
        List<RpcMethod> methods = new ArrayList<>();
        networks(methods);
        services(methods);
        tasks(methods);
        nodes(methods);
        methods.add(new RpcMethod.Streaming("Watch", this::watch));
        return new RpcService("enipam.swarm.v1.Swarm", files.toByteArray(), methods);
    }

    private void networks(List<RpcMethod> methods) {
        methods.add(change("CreateNetwork", CreateNetworkRequest.parser(), (request, id) -> {
            swarm.change(
                    false, tx -> Control.createNetwork(id, Messages.network(request.getSpec(), ingressSubnet), tx));
            return network(id);
        }));
        methods.add(change("UpdateNetwork", UpdateNetworkRequest.parser(), (request, id) -> {
            String of = id(request.getId(), "network");
            updated(
                    of,
                    request.getVersion(),
                    this::network,
                    SwarmProto.Network::getVersion,
                    tx -> Control.updateNetwork(of, request.getVersion(), Messages.network(request.getSpec(), ""), tx));
            return network(of);
        }));
        methods.add(remove("RemoveNetwork", request -> id(request.getId(), "network"), Control::removeNetwork));
        methods.add(read("GetNetwork", request -> network(id(request.getId(), "network"))));
        methods.add(list("ListNetworks", Tables.NETWORKS, (reply, row) -> reply.addNetworks(Messages.network(row))));
    }

    private SwarmProto.Network network(String id) {
        Row<Network> row = swarm.read(tx -> Control.network(id, tx));
        return Messages.network(row);
    }

    private void services(List<RpcMethod> methods) {
        methods.add(change("CreateService", CreateServiceRequest.parser(), (request, id) -> {
            swarm.change(false, tx -> Control.createService(id, serviceSpec(request.getSpec(), tx), tx));
            return service(id);
        }));
        methods.add(change("UpdateService", UpdateServiceRequest.parser(), (request, id) -> {
            String of = id(request.getId(), "service");
            updated(
                    of,
                    request.getVersion(),
                    this::service,
                    SwarmProto.Service::getVersion,
                    tx -> Control.updateService(of, request.getVersion(), serviceSpec(request.getSpec(), tx), tx));
            return service(of);
        }));
        methods.add(remove("RemoveService", request -> id(request.getId(), "service"), Control::removeService));
        methods.add(read("GetService", request -> service(id(request.getId(), "service"))));
        methods.add(list("ListServices", Tables.SERVICES, (reply, row) -> reply.addServices(Messages.service(row))));
    }

    private SwarmProto.Service service(String id) {
        Row<Service> row = swarm.read(tx -> Control.service(id, tx));
        return Messages.service(row);
    }

    private static Service.Spec serviceSpec(SwarmProto.ServiceSpec message, Transaction tx) {
        Service.Spec spec = Messages.service(message);
        spec.taskNetworks().forEach(each -> Control.network(id(each.target(), "network"), tx));
        return spec;
    }

    private void tasks(List<RpcMethod> methods) {
        methods.add(change("CreateTask", CreateTaskRequest.parser(), (request, id) -> {
            Validation.name(request.getName());
            if (!request.getService().isEmpty()) {
                id(request.getService(), "service");
                if (request.getNetworksCount() > 0) {
                    throw Refused.invalid("networks: a task of a service has those of the service");
                }
            }
            Task task = new Task(
                    id,
                    request.getService(),
                    request.getName(),
                    request.getNode(),
                    Messages.attached(request.getNetworksList()),
                    List.of(),
                    Endpoint.NONE,
                    new Task.Status(State.NEW, "created", swarm.now()));
            swarm.change(false, tx -> {
                if (!task.node().isEmpty()) {
                    Control.node(id(task.node(), "node"), tx);
                }
                task.wanted().forEach(each -> Control.network(id(each.target(), "network"), tx));
                Control.createTask(task, tx);
                return true;
            });
            return task(Tables.key(task));
        }));
        methods.add(change("UpdateTask", UpdateTaskRequest.parser(), (request, id) -> {
            String key = taskKey(request.getService(), request.getId());
            if (!request.getNode().isEmpty()) {
                id(request.getNode(), "node");
            }
            updated(
                    key,
                    request.getVersion(),
                    this::task,
                    SwarmProto.Task::getVersion,
                    tx -> Control.updateTask(
                            key,
                            request.getVersion(),
                            request.getNode(),
                            status(request, Control.task(key, tx).value()),
                            tx));
            return task(key);
        }));
        methods.add(
                remove("RemoveTask", request -> taskKey(request.getService(), request.getId()), Control::removeTask));
        methods.add(read("GetTask", request -> task(taskKey(request.getService(), request.getId()))));
        methods.add(list("ListTasks", Tables.TASKS, (reply, row) -> reply.addTasks(Messages.task(row))));
    }

    private Task.Status status(UpdateTaskRequest request, Task task) {
        if (request.getState().isEmpty()) {
            return task.status();
        }
        try {
            return new Task.Status(State.valueOf(request.getState()), request.getMessage(), swarm.now());
        } catch (IllegalArgumentException e) {
            throw Refused.invalid("state: there is no such state of a task");
        }
    }

    private static String taskKey(String service, String id) {
        return Tables.ofService(service.isEmpty() ? "" : id(service, "service")) + id(id, "task");
    }

    private SwarmProto.Task task(String key) {
        return Messages.task(swarm.read(tx -> Control.task(key, tx)));
    }

    private void nodes(List<RpcMethod> methods) {
        methods.add(change("CreateNode", CreateNodeRequest.parser(), (request, id) -> {
            swarm.change(false, tx -> {
                Control.createNode(Node.of(id, request.getName()), tx);
                return true;
            });
            return node(id);
        }));
        methods.add(change("UpdateNode", UpdateNodeRequest.parser(), (request, id) -> {
            String of = id(request.getId(), "node");
            updated(
                    of,
                    request.getVersion(),
                    this::node,
                    SwarmProto.Node::getVersion,
                    tx -> Control.updateNode(of, request.getVersion(), request.getName(), tx));
            return node(of);
        }));
        methods.add(remove("RemoveNode", request -> id(request.getId(), "node"), Control::removeNode));
        methods.add(read("GetNode", request -> node(id(request.getId(), "node"))));
        methods.add(list("ListNodes", Tables.NODES, (reply, row) -> reply.addNodes(Messages.node(row))));
    }

    private SwarmProto.Node node(String id) {
        return Messages.node(swarm.read(tx -> Control.node(id, tx)));
    }

    // ---- methods

    /** What a change does, given a new id in case that it needs one. */
    private interface Change<Q> {
        MessageLite done(Q request, String newId);
    }

    private <Q> RpcMethod change(String name, Parser<Q> parser, Change<Q> change) {
        return new RpcMethod.Unary(
                name,
                Impact.CHANGE,
                call -> answered(() -> {
                    Q request = parsed(parser, call);
                    if (!swarm.host().clock().instant().isBefore(call.deadline())) {
                        throw new RpcException(
                                Code.DEADLINE_EXCEEDED, "nothing was done: the deadline had passed already");
                    }
                    return change.done(request, swarm.id());
                }));
    }

    private RpcMethod remove(String name, Function<RemoveRequest, String> key, BiConsumer<String, Transaction> remove) {
        return change(name, RemoveRequest.parser(), (request, id) -> {
            String of = key.apply(request);
            swarm.change(false, tx -> {
                remove.accept(of, tx);
                return true;
            });
            return RemoveReply.getDefaultInstance();
        });
    }

    /** Updates; where that is out of sequence the message names the version that there is. */
    private <M> void updated(
            String id, long version, Function<String, M> now, Function<M, Long> its, Function<Transaction, ?> update) {
        if (version < 1) {
            throw Refused.invalid("version: it is that of the object which the caller has read");
        }
        try {
            swarm.change(false, update);
        } catch (Refused e) {
            throw e.code() != Refused.Code.SEQUENCE_CONFLICT
                    ? e
                    : new Refused(e.code(), e.getMessage() + ": the version is " + its.apply(now.apply(id)) + " now");
        }
    }

    private RpcMethod read(String name, Function<GetRequest, MessageLite> answer) {
        return new RpcMethod.Unary(
                name, Impact.READ, call -> answered(() -> answer.apply(parsed(GetRequest.parser(), call))));
    }

    /** The keys are of one revision; each row is as it is when it is sent, and one that is gone by then is left out. */
    private <V> RpcMethod list(String name, Table<V> table, BiConsumer<ListReply.Builder, Row<V>> add) {
        return new RpcMethod.Streaming(
                name,
                (call, more) -> coded(() -> {
                    String service = parsed(ListRequest.parser(), call).getService();
                    String prefix = table.equals(Tables.TASKS) && !service.isEmpty()
                            ? Tables.ofService(id(service, "service"))
                            : "";
                    String position = log.position();
                    Feed<String> keys = Feed.of(swarm.read(
                            tx -> tx.scan(table, prefix).map(Row::key).toList()));
                    return mapped(
                            keys,
                            some -> swarm.read(tx -> {
                                ListReply.Builder reply = ListReply.newBuilder().setPosition(position);
                                some.forEach(key -> tx.get(table, key).ifPresent(row -> add.accept(reply, row)));
                                return List.of(reply.build());
                            }));
                }));
    }

    private Feed<byte[]> watch(RpcCall call, Runnable more) {
        return coded(() -> {
            WatchRequest request = parsed(WatchRequest.parser(), call);
            Set<Integer> kinds = Set.copyOf(request.getKindsValueList());
            if (kinds.stream().anyMatch(kind -> kind < 1 || kind > SwarmEvent.Kind.values().length)) {
                throw Refused.invalid("kinds: there is no such kind");
            }
            String begin = request.getAfter().isEmpty() ? log.position() : request.getAfter();
            Feed<SwarmEvent> events = log.follow(
                    begin,
                    event -> kinds.isEmpty() || kinds.contains(event.kind().ordinal() + 1),
                    more);
            boolean[] begun = {false};
            return mapped(events, some -> {
                List<WatchReply> replies = new ArrayList<>();
                if (!begun[0]) {
                    begun[0] = true;
                    replies.add(WatchReply.newBuilder().setPosition(begin).build());
                }
                some.forEach(event -> replies.add(reply(event)));
                return replies;
            });
        });
    }

    private static WatchReply reply(SwarmEvent event) {
        WatchReply.Builder reply = WatchReply.newBuilder()
                .setPosition(event.place())
                .setKindValue(event.kind().ordinal() + 1)
                .setActionValue(event.action().ordinal() + 1)
                .setId(event.id())
                .putAllAttributes(event.attributes());
        event.row().ifPresent(row -> object(reply, row));
        return reply.build();
    }

    private static void object(WatchReply.Builder reply, Row<?> row) {
        if (row.value() instanceof Network network) {
            reply.setNetwork(Messages.network(new Row<>(row.key(), network, row.revision())));
        } else if (row.value() instanceof Service service) {
            reply.setService(Messages.service(new Row<>(row.key(), service, row.revision())));
        } else if (row.value() instanceof Task task) {
            reply.setTask(Messages.task(new Row<>(row.key(), task, row.revision())));
        } else if (row.value() instanceof Node node) {
            reply.setNode(Messages.node(new Row<>(row.key(), node, row.revision())));
        }
    }

    /** Messages of what a feed has; the first time also of nothing. */
    private static <T> Feed<byte[]> mapped(Feed<T> feed, Function<List<T>, List<? extends MessageLite>> messages) {
        boolean[] begun = {false};
        return new Feed<>() {
            @Override
            public List<byte[]> take(int most) {
                return coded(() -> {
                    List<T> some = feed.take(begun[0] ? most : most - 1);
                    if (some.isEmpty() && begun[0]) {
                        return List.of();
                    }
                    begun[0] = true;
                    return messages.apply(some).stream()
                            .map(MessageLite::toByteArray)
                            .collect(Collectors.toList());
                });
            }

            @Override
            public boolean ended() {
                return feed.ended();
            }

            @Override
            public void close() {
                feed.close();
            }
        };
    }

    // ---- requests and statuses

    private static <Q> Q parsed(Parser<Q> parser, RpcCall call) {
        try {
            return parser.parseFrom(call.request());
        } catch (InvalidProtocolBufferException e) {
            throw Refused.invalid("the request is no message of this method");
        }
    }

    private static String id(String text, String kind) {
        if (text.isEmpty()) {
            throw Refused.invalid(kind + " id must be given");
        }
        if (!text.matches("[A-Za-z0-9_.-]{1,128}")) {
            throw Refused.notFound("there is no such " + kind + ": it is no id");
        }
        return text;
    }

    private static byte[] answered(Supplier<MessageLite> answer) {
        return coded(() -> answer.get().toByteArray());
    }

    private static <R> R coded(Supplier<R> work) {
        try {
            return work.get();
        } catch (Refused e) {
            throw new RpcException(code(e.code()), e.text());
        } catch (JournalException e) {
            throw new RpcException(code(e.kind()), String.valueOf(e.getMessage()));
        } catch (FactoryException e) {
            throw new RpcException(code(e.kind()), String.valueOf(e.getMessage()));
        }
    }

    private static Code code(Refused.Code code) {
        return switch (code) {
            case INVALID_ARGUMENT -> Code.INVALID_ARGUMENT;
            case UNIMPLEMENTED -> Code.UNIMPLEMENTED;
            case NOT_FOUND -> Code.NOT_FOUND;
            case ALREADY_EXISTS -> Code.ALREADY_EXISTS;
            case FAILED_PRECONDITION, SEQUENCE_CONFLICT -> Code.FAILED_PRECONDITION;
            case RESOURCE_EXHAUSTED -> Code.RESOURCE_EXHAUSTED;
            case OUT_OF_RANGE -> Code.OUT_OF_RANGE;
            case UNAVAILABLE -> Code.UNAVAILABLE;
        };
    }

    private static Code code(ErrorKind kind) {
        return switch (kind) {
            case CONFLICT -> Code.ABORTED;
            case QUOTA_EXHAUSTED -> Code.INVALID_ARGUMENT; // an object that is larger than a row may be
            case DEADLINE_EXCEEDED -> Code.DEADLINE_EXCEEDED;
            case UNAVAILABLE, THROTTLED -> Code.UNAVAILABLE;
            default -> Code.INTERNAL;
        };
    }
}
