package io.enipam.engine.port;

import io.enipam.engine.port.EniDirectory.EniAddresses;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What the cloud itself says of this node, asked anew each time: it reads no registry of the daemon and changes none.
 * Each question costs some calls of the cloud, within the same limits as all others. Thread-safe.
 */
public interface CloudInspector {
    /**
     * This node's ENIs: those with its tags, and those on its instance, whosever they are.
     *
     * @return fails with {@link io.enipam.sdk.FactoryException} if the ENIs could not be read whole; part of them is
     *     never given
     */
    CompletionStage<CloudState> inspect();

    /**
     * The ENIs that have any of these addresses, wherever they hang.
     *
     * @param vswitch where the addresses come from
     * @param ips 1 to 100 addresses, without prefix lengths
     * @return fails like {@link #inspect()}
     */
    CompletionStage<List<ObservedEni>> holders(String vswitch, List<String> ips);

    /**
     * @param instance the cloud's id of this node's instance
     * @param enis by id, each once
     * @param vswitches those that the ENIs are in and those that new ones come from, by id; one that could not be read
     *     is missing
     */
    record CloudState(String instance, List<ObservedEni> enis, List<ObservedVSwitch> vswitches) {
        public CloudState {
            enis = List.copyOf(enis);
            vswitches = List.copyOf(vswitches);
        }
    }

    /**
     * @param status the cloud's: Available, Attaching, InUse, Detaching, Deleting, or Unknown
     * @param instance what it is attached to, or empty text
     * @param tagged whether it carries the tags of this node's ENIs
     * @param secondary false for the instance's own, which cannot be detached
     */
    record ObservedEni(
            String id,
            String status,
            String instance,
            String mac,
            String vswitch,
            EniAddresses assigned,
            boolean tagged,
            boolean secondary) {
        public String primaryIp() {
            return assigned.primary();
        }

        public List<String> ips() {
            return assigned.ipv4();
        }

        public List<String> ipv6s() {
            return assigned.ipv6();
        }

        /** Its addresses of both families, IPv4 first. */
        public List<String> addresses() {
            return assigned.all();
        }
    }

    /**
     * @param cidr its IPv4 range, such as {@code 10.0.1.0/24}
     * @param available how many addresses of it are free
     */
    record ObservedVSwitch(String id, String cidr, long available) {}
}
