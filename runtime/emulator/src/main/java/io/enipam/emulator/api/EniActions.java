package io.enipam.emulator.api;

import io.enipam.emulator.api.Action.Result;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.CloudState.Instance;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.cloud.EmulatedEni.Addresses;
import io.enipam.emulator.cloud.EmulatedEni.Attachment;
import io.enipam.emulator.cloud.EmulatedEni.Attributes;
import io.enipam.emulator.cloud.EmulatedEni.EniKind;
import io.enipam.emulator.cloud.EniStatus;
import io.enipam.emulator.cloud.EniStatus.EniEvent;
import io.enipam.emulator.cloud.InstanceType;
import io.enipam.emulator.cloud.VSwitch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The actions that create, attach, detach, change and delete ENIs. */
final class EniActions {
    private static final int MOST_ADDRESSES_NAMED = 10;
    private static final int MOST_CARDS = 16;
    /** Security groups of one ENI, after the account's limit was raised as far as it goes. */
    private static final int MOST_GROUPS = 10;
    /** Security groups that a call may list at all. */
    private static final int MOST_GROUPS_LISTED = 100;

    private EniActions() {}

    /** Makes an ENI, Available at once. */
    static Result create(ActionCall call) {
        Params params = call.params();
        CloudState state = call.state();
        VSwitch vswitch = call.vswitch(params.require("VSwitchId"));
        List<String> groups = groups(params, state);
        EniKind kind = kind(params);
        AddressAllocator addresses = call.allocator(vswitch);
        // named addresses first: otherwise the address picked for one may be the name of another
        Optional<String> named = params.get("PrimaryIpAddress").map(addresses::named);
        AddressAllocator.Asked more = addresses.asked(params, MOST_ADDRESSES_NAMED);
        String primary = named.orElseGet(() -> addresses.any(1).get(0));
        List<String> ipv6s = AddressAllocator.ipv6(params, vswitch, state.usedIpv6(vswitch.id()));
        EmulatedEni eni = EmulatedEni.made(
                state.layout().seed(),
                state.made(),
                kind,
                call.now(),
                new Addresses(vswitch.id(), primary, more.secondaries(), more.prefixes(), ipv6s),
                new Attributes(
                        groups,
                        TagActions.toPut(params),
                        params.get("NetworkInterfaceName").orElse(""),
                        params.get("Description").orElse(""),
                        params.bool("DeleteOnRelease").orElse(true)),
                Attachment.NONE);
        AddressAllocator.requireWithinLimits(eni, state);
        CloudState after = state.made(eni);
        long enis = after.enis().values().stream()
                .filter(one -> one.kind() != EniKind.PRIMARY)
                .count();
        if (enis > after.quotas().enis()) {
            throw ApiError.ENI_QUOTA.with(after.quotas().enis());
        }
        AddressAllocator.requireWithinQuota(after);
        return new Result(after, EniQueries.json(eni, after));
    }

    /** Begins to attach an ENI, by itself or as a member of a trunk ENI; it is InUse some seconds later. */
    static Result attach(ActionCall call) {
        CloudState state = call.state();
        EmulatedEni eni = call.eni();
        Instance instance = call.instance();
        call.params().integer("NetworkCardIndex", 0, MOST_CARDS - 1);
        Optional<String> trunk = trunk(call, instance);
        EniStatus next = ActionCall.next(eni, EniEvent.ATTACH);
        String zone = state.zoneOf(eni.ips().vswitchId());
        if (!zone.equals(state.zoneOf(instance))) {
            throw ApiError.ZONE_MISMATCH.with(zone, state.zoneOf(instance));
        }
        InstanceType type = state.typeOf(instance);
        if (eni.kind() == EniKind.TRUNK && (!type.trunk() || trunk.isPresent())) {
            throw ApiError.INVALID_ENI_TYPE.with(type.id() + " takes no trunk ENI here");
        }
        List<EmulatedEni> there = state.enisOn(instance.id());
        long cards = there.stream()
                .filter(other -> other.attachment().trunkId().isEmpty())
                .count();
        if (there.size() >= type.totalEnis() || (trunk.isEmpty() && cards >= type.enis())) {
            throw ApiError.ENI_LIMIT_EXCEEDED.with();
        }
        AddressAllocator.requireWithinLimits(eni, Optional.of(type));
        return call.change(eni.attaching(instance.id(), trunk, freeIndex(there, trunk), call.endOf(next)));
    }

    /** The least number from 1 that no other has: on the instance, or on the trunk, whose members have VLANs of their own. */
    private static int freeIndex(List<EmulatedEni> there, Optional<String> trunk) {
        Set<Integer> taken = there.stream()
                .map(EmulatedEni::attachment)
                .filter(other -> other.trunkId().equals(trunk))
                .map(Attachment::deviceIndex)
                .collect(Collectors.toSet());
        return IntStream.iterate(1, index -> index + 1)
                .filter(index -> !taken.contains(index))
                .findFirst()
                .orElseThrow();
    }

    /** The trunk ENI of the call, which must be InUse on the instance. */
    private static Optional<String> trunk(ActionCall call, Instance instance) {
        Optional<String> id = call.params().get("TrunkNetworkInstanceId");
        id.ifPresent(named -> {
            EmulatedEni trunk = call.state().eni(named).orElseThrow(() -> ApiError.ENI_NOT_FOUND.with(named));
            if (trunk.kind() != EniKind.TRUNK) {
                throw ApiError.INVALID_ENI_TYPE.with(named + " is no trunk ENI");
            }
            if (trunk.attachment().status() != EniStatus.IN_USE || !trunk.isOn(instance.id())) {
                throw ActionCall.wrongState(trunk);
            }
        });
        return id;
    }

    /** Begins to detach an ENI; it is Available some seconds later. */
    static Result detach(ActionCall call) {
        EmulatedEni eni = call.eni();
        Instance instance = call.instance();
        if (eni.kind() == EniKind.PRIMARY) {
            throw ApiError.DETACH_PRIMARY.with();
        }
        EniStatus next = ActionCall.next(eni, EniEvent.DETACH);
        if (!eni.isOn(instance.id())) {
            throw ApiError.INVALID_ENI_STATE.with("attached to another instance");
        }
        if (call.state().enisOn(instance.id()).stream().anyMatch(other -> other.isMemberOf(eni.id()))) {
            throw ApiError.INVALID_ENI_STATE.with("it has member ENIs");
        }
        return call.begin(eni, next);
    }

    /** Begins to delete an ENI, which must be Available; it and its addresses are gone some seconds later. */
    static Result delete(ActionCall call) {
        EmulatedEni eni = call.eni();
        return call.begin(eni, ActionCall.next(eni, EniEvent.DELETE));
    }

    /** Changes name, description, release behaviour and security groups of an ENI; what is not given stays. */
    static Result modify(ActionCall call) {
        EmulatedEni eni = call.eni();
        Params params = call.params();
        List<String> groups = params.list("SecurityGroupId", MOST_GROUPS_LISTED);
        if (!groups.isEmpty()) {
            checkGroups(groups, eni.attributes().securityGroups(), call.state());
        }
        return call.change(eni.with(new Attributes(
                groups.isEmpty() ? eni.attributes().securityGroups() : groups,
                eni.attributes().tags(),
                params.get("NetworkInterfaceName").orElse(eni.attributes().name()),
                params.get("Description").orElse(eni.attributes().description()),
                params.bool("DeleteOnRelease").orElse(eni.attributes().deleteOnRelease()))));
    }

    private static EniKind kind(Params params) {
        return switch (params.get("InstanceType").orElse("Secondary")) {
            case "Secondary" -> EniKind.SECONDARY;
            case "Trunk" -> EniKind.TRUNK;
            default -> throw Params.invalid("InstanceType");
        };
    }

    private static List<String> groups(Params params, CloudState state) {
        List<String> groups = new ArrayList<>(params.list("SecurityGroupIds", MOST_GROUPS_LISTED));
        Optional<String> single = params.get("SecurityGroupId");
        if (single.isPresent() && !groups.isEmpty()) {
            throw ApiError.CONFLICTING_PARAMETERS.with("SecurityGroupId", "SecurityGroupIds.N");
        }
        single.ifPresent(groups::add);
        List<String> each = groups.stream().distinct().toList();
        checkGroups(each, List.of(), state);
        return each;
    }

    /** Fails if there are no groups or too many, one does not exist, or one that the ENI is not in yet is full. */
    private static void checkGroups(List<String> groups, List<String> before, CloudState state) {
        if (groups.isEmpty()) {
            throw ApiError.MISSING_PARAMETER.with("SecurityGroupId");
        }
        if (groups.size() > MOST_GROUPS) {
            throw ApiError.GROUP_COUNT_EXCEEDED.with(MOST_GROUPS, groups.size());
        }
        int quota = state.quotas().groupMembers();
        for (String group : groups) {
            if (!state.layout().vpc().securityGroups().contains(group)) {
                throw ApiError.SECURITY_GROUP_NOT_FOUND.with(group);
            }
            if (!before.contains(group) && state.members(group) >= quota) {
                throw ApiError.GROUP_MEMBER_QUOTA.with(quota, group);
            }
        }
    }
}
