package io.enipam.aliyun;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.EniTags;
import io.enipam.aliyun.eni.EniUse;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.EniDirectory.EniAddresses;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.FactoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the cloud has of this node: for each use of ENIs those with its tags, those on the instance, and the vSwitches
 * they live in. Lists of ENIs are asked for anew each time; so is a vSwitch, whose free addresses change. Thread-safe.
 */
final class EcsStateReader implements CloudInspector {
    private static final Logger LOG = LoggerFactory.getLogger(EcsStateReader.class);

    private final String instanceId;
    private final Supplier<List<String>> vswitches;
    private final EcsApi api;
    private final Executor calls;

    /** @param vswitches where new ENIs come from at the moment */
    EcsStateReader(String instanceId, Supplier<List<String>> vswitches, EcsApi api, Executor calls) {
        this.instanceId = instanceId;
        this.vswitches = vswitches;
        this.api = api;
        this.calls = calls;
    }

    @Override
    public CompletionStage<CloudState> inspect() {
        return asked(this::look);
    }

    private CloudState look() {
        Map<String, ObservedEni> enis = new TreeMap<>();
        for (EniUse use : EniUse.values()) {
            api.describeNetworkInterfaces(EniTags.identity(use, instanceId))
                    .forEach(eni -> enis.put(eni.id(), seen(eni, true)));
        }
        // the later answer is the better one
        api.describeAttached(instanceId).forEach(eni -> enis.put(eni.id(), seen(eni, enis.containsKey(eni.id()))));
        Set<String> places = new TreeSet<>(vswitches.get());
        enis.values().forEach(eni -> places.add(eni.vswitch()));
        List<ObservedVSwitch> found = new ArrayList<>();
        for (String place : places) {
            try {
                VSwitch vswitch = api.describeVSwitch(place);
                found.add(new ObservedVSwitch(vswitch.id(), vswitch.cidr(), vswitch.available()));
            } catch (EcsException e) {
                // the ENIs are the testimony: a vSwitch that cannot be read is one that is not known, and no more
                LOG.warn("vSwitch {} could not be read, so its range is not known: {}", place, e.getMessage());
            }
        }
        return new CloudState(instanceId, List.copyOf(enis.values()), found);
    }

    @Override
    public CompletionStage<List<ObservedEni>> holders(String vswitch, List<String> ips) {
        return asked(() -> api.describeNetworkInterfacesByIp(vswitch, ips).stream()
                .map(eni -> seen(eni, false))
                .toList());
    }

    private static ObservedEni seen(NetworkInterface eni, boolean tagged) {
        EniAddresses addresses = new EniAddresses(eni.primaryIp(), eni.ips(), eni.ipv6s());
        String status = eni.status().label();
        return new ObservedEni(
                eni.id(), status, eni.instanceId(), eni.mac(), eni.vswitchId(), addresses, tagged, eni.secondary());
    }

    private <T> CompletionStage<T> asked(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            calls.execute(() -> {
                try {
                    answer.complete(question.get());
                } catch (EcsException e) {
                    answer.completeExceptionally(e.asFactoryException());
                } catch (Throwable e) {
                    // also an error: a question that is never answered would keep all later ones waiting
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(
                    new FactoryException(ErrorKind.UNAVAILABLE, "the cloud is asked no more: the daemon ends", e));
        }
        return answer;
    }
}
