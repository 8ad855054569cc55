package io.enipam.engine.port;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A call that makes, moves or destroys something in the cloud, with all it takes to repeat or to finish it after a crash.
 * Names are the cloud's own: the ids it gave, never this program's.
 */
public sealed interface CloudOperation {
    /** What it is about: an ENI's id, or the client token while there is no id yet. */
    String subject();

    /** What is done to an ENI that has an id. */
    sealed interface OfEni extends CloudOperation {
        String eni();

        @Override
        default String subject() {
            return eni();
        }
    }

    /** The operation's name in records: {@code create}, {@code attach}, {@code assign}, and so on. */
    default String name() {
        return getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    /**
     * Makes an ENI. The same call with the same token makes one ENI, however often it is repeated.
     *
     * @param clientToken the cloud's idempotency key, 1 to 64 ASCII characters
     * @param vswitch where the ENI takes its primary address from
     * @param securityGroups 1 to 10, in the order of the call
     * @param tags on the ENI from its first moment
     * @param ipv6Count IPv6 addresses on it from its first moment, 0 or 1
     */
    record Create(
            String clientToken, String vswitch, List<String> securityGroups, Map<String, String> tags, int ipv6Count)
            implements CloudOperation {
        public Create {
            securityGroups = List.copyOf(securityGroups);
            tags = Map.copyOf(tags);
        }

        @Override
        public String subject() {
            return clientToken;
        }
    }

    /** Attaches an ENI to an instance. It has no token: it is looked at, not repeated. */
    record Attach(String eni, String instance) implements OfEni {}

    /**
     * Adds addresses of the cloud's choice to an ENI: one call for each family.
     *
     * @param count IPv4 addresses, 0 to 10
     * @param ipv6Count IPv6 addresses, 0 to 10
     * @param clientToken the cloud's idempotency key, 1 to 62 ASCII characters
     */
    record Assign(String eni, int count, int ipv6Count, String clientToken) implements OfEni {}

    /**
     * Takes addresses off an ENI: one call for each family. It has no token: what is gone is gone, what is there is asked again.
     *
     * @param ips 1 to 10 secondary addresses of each family
     */
    record Unassign(String eni, List<String> ips) implements OfEni {
        public Unassign {
            ips = List.copyOf(ips);
        }
    }

    /** Takes an ENI off an instance, on its way out of the cloud. */
    record Detach(String eni, String instance) implements OfEni {}

    /** Deletes an ENI that hangs on nothing. */
    record Delete(String eni) implements OfEni {}
}
