package io.enipam.aliyun.testing;

import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One ENI of the fake cloud. Guarded by the fake's lock. */
final class FakeEni {
    final String id;
    final String vswitchId;
    final List<String> ips = new ArrayList<>();
    final List<String> ipv6s = new ArrayList<>();
    final Map<String, String> tags;
    String instanceId = "";

    final long madeNanos;

    private final Instant createdAt;
    private final String mac;
    private final String primaryIp;
    private CloudEniStatus status = CloudEniStatus.AVAILABLE;
    private CloudEniStatus next = CloudEniStatus.AVAILABLE;
    private long since;
    private Optional<CloudEniStatus> stuck = Optional.empty();

    FakeEni(
            String id,
            String mac,
            String vswitchId,
            String primaryIp,
            Map<String, String> tags,
            Instant createdAt,
            long madeNanos) {
        this.id = id;
        this.mac = mac;
        this.vswitchId = vswitchId;
        this.primaryIp = primaryIp;
        this.tags = new HashMap<>(tags);
        this.createdAt = createdAt;
        this.madeNanos = madeNanos;
        ips.add(primaryIp);
    }

    void move(CloudEniStatus through, CloudEniStatus to, String instance, long now) {
        status = through;
        next = to;
        since = now;
        instanceId = instance;
    }

    /** Puts it where another program left it: settled, or on its way from there on. */
    void goTo(CloudEniStatus where, String instance, long now) {
        CloudEniStatus to = switch (where) {
            case ATTACHING -> CloudEniStatus.IN_USE;
            case DETACHING -> CloudEniStatus.AVAILABLE;
            case DELETING -> CloudEniStatus.OTHER;
            default -> where;
        };
        move(where, to, instance, now);
    }

    /**
     * Lets time do its work.
     *
     * @return whether it is gone
     */
    boolean settle(long begunBefore) {
        if (stuck.isEmpty() && moving() && since <= begunBefore) {
            status = next;
            if (status == CloudEniStatus.AVAILABLE) {
                instanceId = "";
            }
        }
        return status == CloudEniStatus.OTHER;
    }

    boolean moving() {
        return status != next;
    }

    CloudEniStatus status() {
        return stuck.orElse(status);
    }

    void stick(CloudEniStatus where) {
        stuck = Optional.of(where);
    }

    void release() {
        stuck = Optional.empty();
    }

    NetworkInterface view(String requestId) {
        return new NetworkInterface(
                id,
                status(),
                mac,
                vswitchId,
                new NetworkInterface.Attachment(instanceId, NetworkInterface.EniType.SECONDARY),
                new NetworkInterface.Addresses(primaryIp, ips, ipv6s),
                new NetworkInterface.Origin(requestId, Optional.of(createdAt), Map.of()));
    }
}
