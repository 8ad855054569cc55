package io.enipam.aliyun.lent;

import io.enipam.aliyun.api.ClientToken;
import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CreateInterfaceRequest;
import io.enipam.aliyun.api.EcsApi.InstanceTypeLimits;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.aliyun.client.MetadataClient.NodeIdentity;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.lent.CallQueue.Refusal;
import io.enipam.aliyun.lent.CallQueue.Turn;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.RequestToken;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.CloudInstance;
import io.enipam.sdk.cloud.Eni;
import io.enipam.sdk.cloud.EniRequest;
import io.enipam.sdk.cloud.Outcome;
import io.enipam.sdk.cloud.RouteEntry;
import io.enipam.sdk.cloud.VSwitch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The cloud of one plugin. {@link EniMoves} and {@link LentRoutes} are the procedures that take several calls. */
final class LentCloud implements Cloud {
    private final CallQueue queue;
    private final String plugin;
    private final Duration limit;
    /** ENIs that are known to be this plugin's: a description that lags may not show a new one yet. */
    private final Set<String> own;

    LentCloud(CallQueue queue, String plugin) {
        this(queue, plugin, USUAL, ConcurrentHashMap.newKeySet());
    }

    private LentCloud(CallQueue queue, String plugin, Duration limit, Set<String> own) {
        this.queue = queue;
        this.plugin = plugin;
        this.limit = limit;
        this.own = own;
    }

    @Override
    public Cloud within(Duration other) {
        if (other.isNegative() || other.isZero()) {
            throw new IllegalArgumentException("a call needs time, got " + other);
        }
        return new LentCloud(queue, plugin, other, own);
    }

    @Override
    public CompletionStage<Outcome<CloudInstance>> instance() {
        return queue.call(limit, turn -> {
            NodeIdentity node = turn.node().identity();
            InstanceTypeLimits type = turn.node().limits();
            return new CloudInstance(
                    node.instanceId(),
                    node.instanceType(),
                    node.regionId(),
                    node.zoneId(),
                    new CloudInstance.Limits(type.enis(), type.ipv4PerEni(), type.ipv6PerEni(), type.members()));
        });
    }

    @Override
    public CompletionStage<Outcome<List<VSwitch>>> vSwitches() {
        return queue.call(
                limit,
                turn -> turn.node().places().get().stream()
                        .map(place -> described(turn, place.id()))
                        .toList());
    }

    @Override
    public CompletionStage<Outcome<VSwitch>> vSwitch(String id) {
        return queue.call(limit, turn -> described(turn, id));
    }

    private static VSwitch described(Turn turn, String id) {
        EcsApi.VSwitch now = turn.api().describeVSwitch(id);
        return new VSwitch(now.id(), now.zoneId(), now.cidr(), now.ipv6Cidr(), now.available());
    }

    @Override
    public CompletionStage<Outcome<List<Eni>>> enis() {
        return queue.call(limit, turn -> {
            List<Eni> found = turn.api().describeNetworkInterfaces(EniTags.ofPlugin(plugin, turn.instance())).stream()
                    .map(LentCloud::eni)
                    .toList();
            found.forEach(eni -> own.add(eni.id()));
            return found;
        });
    }

    @Override
    public CompletionStage<Outcome<Eni>> create(EniRequest request, RequestToken token) {
        return queue.call(limit, turn -> {
            Map<String, String> tags = new HashMap<>(EniTags.ofPlugin(plugin, turn.instance()));
            if (!request.label().isEmpty()) {
                tags.put(EniTags.LABEL, request.label());
            }
            // as many of the user's as there is room for beside those by which it is found
            turn.node().enis().tags().forEach((key, value) -> {
                if (tags.size() < EniTags.MOST) {
                    tags.putIfAbsent(key, value);
                }
            });
            NetworkInterface made = turn.api()
                    .createNetworkInterface(new CreateInterfaceRequest(
                            request.vSwitch().isEmpty()
                                    ? turn.node().places().get().get(0).id()
                                    : request.vSwitch(),
                            request.securityGroups().isEmpty()
                                    ? turn.node().enis().securityGroups()
                                    : request.securityGroups(),
                            tags,
                            token(turn, token),
                            0,
                            request.kind() == Eni.Kind.TRUNK));
            own.add(made.id());
            return eni(made);
        });
    }

    @Override
    public CompletionStage<Outcome<Eni>> attach(String eni) {
        return attachMember(eni, "");
    }

    @Override
    public CompletionStage<Outcome<Eni>> attachMember(String eni, String trunk) {
        return queue.call(limit, turn -> {
            requireOwn(turn, eni);
            if (!trunk.isEmpty()) {
                requireOwn(turn, trunk);
            }
            return eni(new EniMoves(turn, eni).attach(trunk));
        });
    }

    @Override
    public CompletionStage<Outcome<Boolean>> detach(String eni) {
        return queue.call(limit, turn -> ifThere(turn, eni, () -> new EniMoves(turn, eni).detach()));
    }

    @Override
    public CompletionStage<Outcome<Boolean>> delete(String eni) {
        return queue.call(
                limit,
                turn -> ifThere(turn, eni, () -> {
                    new EniMoves(turn, eni).delete();
                    own.remove(eni);
                }));
    }

    @Override
    public CompletionStage<Outcome<List<String>>> assignAddresses(String eni, int count, RequestToken token) {
        return assign(eni, token, (api, id) -> api.assignPrivateIpAddresses(eni, count, id));
    }

    @Override
    public CompletionStage<Outcome<Boolean>> unassignAddresses(String eni, List<String> addresses) {
        return unassign(eni, addresses, EcsApi::unassignPrivateIpAddresses);
    }

    @Override
    public CompletionStage<Outcome<List<String>>> assignIpv6Addresses(String eni, int count, RequestToken token) {
        return assign(eni, token, (api, id) -> api.assignIpv6Addresses(eni, count, id));
    }

    @Override
    public CompletionStage<Outcome<Boolean>> unassignIpv6Addresses(String eni, List<String> addresses) {
        return unassign(eni, addresses, EcsApi::unassignIpv6Addresses);
    }

    @Override
    public CompletionStage<Outcome<List<String>>> assignPrefixes(String eni, int count, RequestToken token) {
        return assign(eni, token, (api, id) -> api.assignIpv4Prefixes(eni, count, id));
    }

    @Override
    public CompletionStage<Outcome<Boolean>> unassignPrefixes(String eni, List<String> prefixes) {
        return unassign(eni, prefixes, EcsApi::unassignIpv4Prefixes);
    }

    private interface Assign {
        EcsApi.AssignedAddresses of(EcsApi api, String clientToken);
    }

    private CompletionStage<Outcome<List<String>>> assign(String eni, RequestToken token, Assign assign) {
        return queue.call(limit, turn -> {
            requireOwn(turn, eni);
            return assign.of(turn.api(), token(turn, token)).ips();
        });
    }

    private CompletionStage<Outcome<Boolean>> unassign(String eni, List<String> gone, EniMoves.Unassign unassign) {
        List<String> each = gone.stream().distinct().toList();
        return queue.call(limit, turn -> ifThere(turn, eni, () -> new EniMoves(turn, eni).unassign(each, unassign)));
    }

    @Override
    public CompletionStage<Outcome<List<RouteEntry>>> routes(String table) {
        return queue.call(limit, turn -> new LentRoutes(turn).list(table));
    }

    @Override
    public CompletionStage<Outcome<Boolean>> addRoute(RouteEntry entry, RequestToken token) {
        return queue.call(limit, turn -> new LentRoutes(turn).add(entry, token(turn, token)));
    }

    @Override
    public CompletionStage<Outcome<Boolean>> removeRoute(RouteEntry entry) {
        return queue.call(limit, turn -> new LentRoutes(turn).remove(entry));
    }

    /** What an ENI that is gone does not need any more is done. */
    private boolean ifThere(Turn turn, String eni, Runnable change) {
        try {
            requireOwn(turn, eni);
            change.run();
            return true;
        } catch (EcsException e) {
            if (e.reaction() == ErrorReaction.GONE) {
                own.remove(eni);
                return false;
            }
            throw e;
        }
    }

    private void requireOwn(Turn turn, String eni) {
        String node = turn.instance();
        if (own.contains(eni)) {
            return;
        }
        NetworkInterface found = turn.api().describeNetworkInterface(eni).stream()
                .findFirst()
                .orElseThrow(() -> new EcsException(
                        "DescribeNetworkInterfaces", "InvalidEniId.NotFound", 404, "", "there is no ENI " + eni));
        Map<String, String> tags = found.origin().tags();
        if (!tags.entrySet().containsAll(EniTags.ofPlugin(plugin, node).entrySet())) {
            String why = "ENI " + eni + " was not made by plugin " + plugin + " of this node, which may not change it";
            throw new Refusal(ErrorKind.MISCONFIGURED, why, false);
        }
        own.add(eni);
    }

    /** The account's clients share the space of tokens: this one belongs to the plugin on this node, or on all replicas. */
    private String token(Turn turn, RequestToken token) {
        return ClientToken.of(turn.session().tokens() + "\n" + plugin + "\n" + token.value());
    }

    private static Eni eni(NetworkInterface eni) {
        NetworkInterface.Attachment there = eni.attachment();
        return new Eni(
                eni.id(),
                switch (there.type()) {
                    case PRIMARY -> Eni.Kind.PRIMARY;
                    case SECONDARY -> Eni.Kind.SECONDARY;
                    case TRUNK -> Eni.Kind.TRUNK;
                    case MEMBER -> Eni.Kind.MEMBER;
                },
                eni.origin().tags().getOrDefault(EniTags.LABEL, ""),
                switch (eni.status()) {
                    case AVAILABLE -> Eni.Status.AVAILABLE;
                    case ATTACHING -> Eni.Status.ATTACHING;
                    case IN_USE -> Eni.Status.IN_USE;
                    case DETACHING -> Eni.Status.DETACHING;
                    case DELETING -> Eni.Status.DELETING;
                    case OTHER -> Eni.Status.OTHER;
                },
                eni.mac(),
                eni.vswitchId(),
                new Eni.Attachment(
                        there.instanceId(),
                        Optional.of(there.trunkId()).filter(trunk -> !trunk.isEmpty()),
                        there.deviceIndex()),
                new Eni.Addresses(
                        eni.primaryIp(), eni.ips(), eni.ipv6s(), eni.addresses().prefixes()));
    }
}
