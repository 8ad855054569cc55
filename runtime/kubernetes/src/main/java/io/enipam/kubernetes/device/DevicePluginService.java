package io.enipam.kubernetes.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.kubelet.v1beta1.AllocateRequest;
import io.enipam.kubelet.v1beta1.AllocateResponse;
import io.enipam.kubelet.v1beta1.ContainerAllocateRequest;
import io.enipam.kubelet.v1beta1.ContainerAllocateResponse;
import io.enipam.kubelet.v1beta1.Device;
import io.enipam.kubelet.v1beta1.DevicePluginGrpc;
import io.enipam.kubelet.v1beta1.DevicePluginOptions;
import io.enipam.kubelet.v1beta1.Empty;
import io.enipam.kubelet.v1beta1.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The kubelet's view: a number of identical devices. A device stands for no particular ENI: the pool decides at a pod's
 * ADD which ENI it gets. Thread-safe.
 *
 * <p>The kubelet reports which devices it allocates, and never when it releases them. If only some are healthy, these
 * are the last allocated ones first, since a device should not become unhealthy while its pod's ENI is well.
 */
final class DevicePluginService extends DevicePluginGrpc.DevicePluginImplBase {
    /** The kubelet's terms. */
    private static final String HEALTHY = "Healthy";

    private static final String UNHEALTHY = "Unhealthy";

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final List<StreamObserver<ListAndWatchResponse>> watching = new ArrayList<>();

    /** Devices allocated to pods, the latest last. */
    @GuardedBy("lock")
    private final Set<String> given = new LinkedHashSet<>();

    @GuardedBy("lock")
    private int count;

    @GuardedBy("lock")
    private int healthy;

    /**
     * Sets the devices and notifies every kubelet that watches.
     *
     * @param all number of devices, at least 0
     * @param well how many of them are healthy, at least 0 and at most all
     */
    void setDevices(int all, int well) {
        synchronized (lock) {
            if (all != count || well != healthy) {
                count = all;
                healthy = well;
                given.retainAll(ids().collect(Collectors.toSet()));
                ListAndWatchResponse list = list();
                watching.forEach(kubelet -> kubelet.onNext(list));
            }
        }
    }

    /** Whether a kubelet listens. */
    boolean isWatched() {
        synchronized (lock) {
            return !watching.isEmpty();
        }
    }

    @Override
    public void getDevicePluginOptions(Empty request, StreamObserver<DevicePluginOptions> reply) {
        reply.onNext(DevicePluginOptions.getDefaultInstance());
        reply.onCompleted();
    }

    @Override
    public void listAndWatch(Empty request, StreamObserver<ListAndWatchResponse> reply) {
        ServerCallStreamObserver<ListAndWatchResponse> kubelet = (ServerCallStreamObserver<ListAndWatchResponse>) reply;
        kubelet.setOnCancelHandler(() -> {
            synchronized (lock) {
                watching.remove(kubelet);
            }
        });
        synchronized (lock) {
            watching.add(kubelet);
            kubelet.onNext(list());
        }
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> reply) {
        synchronized (lock) {
            Set<String> known = ids().collect(Collectors.toSet());
            for (ContainerAllocateRequest container : request.getContainerRequestsList()) {
                for (String device : container.getDevicesIdsList()) {
                    if (known.contains(device)) {
                        given.remove(device);
                        given.add(device);
                    }
                }
            }
        }
        AllocateResponse.Builder answer = AllocateResponse.newBuilder();
        request.getContainerRequestsList()
                .forEach(container -> answer.addContainerResponses(ContainerAllocateResponse.getDefaultInstance()));
        reply.onNext(answer.build());
        reply.onCompleted();
    }

    @GuardedBy("lock")
    private Stream<String> ids() {
        return IntStream.range(0, count).mapToObj(number -> "eni-" + number);
    }

    @GuardedBy("lock")
    private ListAndWatchResponse list() {
        List<String> lastGivenFirst = new ArrayList<>(given);
        Collections.reverse(lastGivenFirst);
        Set<String> well = Stream.concat(lastGivenFirst.stream(), ids())
                .distinct()
                .limit(healthy)
                .collect(Collectors.toSet());
        return ListAndWatchResponse.newBuilder()
                .addAllDevices(ids().map(id -> Device.newBuilder()
                                .setID(id)
                                .setHealth(well.contains(id) ? HEALTHY : UNHEALTHY)
                                .build())
                        .toList())
                .build();
    }
}
