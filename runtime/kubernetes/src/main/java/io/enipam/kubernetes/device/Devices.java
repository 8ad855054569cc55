package io.enipam.kubernetes.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.kubelet.v1beta1.AllocateRequest;
import io.enipam.kubelet.v1beta1.AllocateResponse;
import io.enipam.kubelet.v1beta1.ContainerAllocateResponse;
import io.enipam.kubelet.v1beta1.Device;
import io.enipam.kubelet.v1beta1.DevicePluginGrpc;
import io.enipam.kubelet.v1beta1.DevicePluginOptions;
import io.enipam.kubelet.v1beta1.Empty;
import io.enipam.kubelet.v1beta1.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What the kubelet asks: so many devices, all alike and all healthy. A device is a number in a count and stands for no certain ENI: which
 * one a pod gets is the pool's to say, at its ADD. Thread-safe.
 */
final class Devices extends DevicePluginGrpc.DevicePluginImplBase {
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final List<StreamObserver<ListAndWatchResponse>> watching = new ArrayList<>();

    @GuardedBy("lock")
    private int count;

    /** From now on there are so many, at least 0. Every kubelet that watches is told. */
    void count(int devices) {
        synchronized (lock) {
            if (devices != count) {
                count = devices;
                watching.forEach(kubelet -> kubelet.onNext(list(devices)));
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
            kubelet.onNext(list(count));
        }
    }

    @Override
    public void allocate(AllocateRequest request, StreamObserver<AllocateResponse> reply) {
        AllocateResponse.Builder answer = AllocateResponse.newBuilder();
        request.getContainerRequestsList()
                .forEach(container -> answer.addContainerResponses(ContainerAllocateResponse.getDefaultInstance()));
        reply.onNext(answer.build());
        reply.onCompleted();
    }

    private static ListAndWatchResponse list(int count) {
        return ListAndWatchResponse.newBuilder()
                .addAllDevices(IntStream.range(0, count)
                        .mapToObj(number -> Device.newBuilder()
                                .setID("eni-" + number)
                                .setHealth("Healthy")
                                .build())
                        .toList())
                .build();
    }
}
