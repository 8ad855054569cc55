package io.enipam.diagnostics.sources.compare;

import io.enipam.diagnostics.sources.Statement;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.pool.PoolView;
import io.enipam.sdk.PodRef;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Two sources, or more, that do not say the same. Two differences are the same one when kind and subject are equal.
 *
 * @param kind which rule is hurt, by name
 * @param subject what it is about, unique within the kind: a resource's id, an owner, an address, an ENI
 * @param addresses without prefix lengths
 * @param eni an ENI's id, or empty text
 * @param what it means: one sentence for an operator, without a full stop
 * @param says what each source says, by the source's name, in the order in which they are to be shown
 */
public record Difference(
        Kind kind,
        String subject,
        Set<String> addresses,
        String eni,
        Optional<OwnerKey> owner,
        Optional<PodRef> pod,
        String what,
        Map<String, String> says) {
    public Difference {
        says = Collections.unmodifiableMap(new LinkedHashMap<>(says));
    }

    /** The rules. The names are part of the wire contract. */
    public enum Kind {
        /** A lease in the database whose resource the pool does not have, or not for its owner. */
        LEASE_NOT_IN_POOL,
        /** The pool has lent what the database has no lease of. */
        LENT_WITHOUT_LEASE,
        /** A hold of the database that the pool does not keep, or the other way round. */
        HOLD_DIFFERS,
        /** A lease whose sandbox the kernel is not connected to, or with another address. */
        LEASE_NOT_CONNECTED,
        /** The kernel is connected to a sandbox without a lease. */
        CONNECTED_WITHOUT_LEASE,
        /** A lease whose pod the API server does not know, or knows as another one, or as finished. */
        POD_GONE,
        /** The API server reports another address of a pod than its lease. */
        POD_TELLS_ANOTHER,
        /** A pod that runs here, and has an address, and no lease. */
        POD_WITHOUT_LEASE,
        /** The pool has an address that the cloud has not on that ENI. */
        ADDRESS_NOT_IN_CLOUD,
        /** An address that the pool has given up for lost, and that the cloud has on its ENI of this node. */
        ADDRESS_BACK,
        /** An ENI of the registry that the cloud does not have, or not on this instance. */
        ENI_NOT_IN_CLOUD,
        /** The cloud has an address on an ENI of this node that is unknown here. */
        ADDRESS_UNKNOWN,
        /** The cloud has an ENI with this node's tags that is unknown here. */
        ENI_UNKNOWN,
        /** One address in two places. */
        ADDRESS_TWICE
    }

    static Difference of(Kind kind, Lease lease, String what, Map<String, String> says) {
        return new Difference(
                kind,
                lease.owner().toString(),
                Statement.hosts(lease.resource()),
                Statement.eniOf(lease.resource()),
                Optional.of(lease.owner()),
                Optional.of(lease.pod()),
                what,
                says);
    }

    static Difference of(Kind kind, PoolView.Entry entry, String what, Map<String, String> says) {
        return new Difference(
                kind,
                entry.resource().id().value(),
                Statement.hosts(entry.resource()),
                Statement.eniOf(entry.resource()),
                entry.owner(),
                entry.pod(),
                what,
                says);
    }

    /** A difference about an ENI, which no pod has. */
    static Difference ofEni(
            Kind kind, String subject, Set<String> addresses, String eni, String what, Map<String, String> says) {
        return new Difference(kind, subject, addresses, eni, Optional.empty(), Optional.empty(), what, says);
    }

    /** What two sources say, in this order. */
    static Map<String, String> says(String source, String words, String other, String otherWords) {
        Map<String, String> says = new LinkedHashMap<>();
        says.put(source, words);
        says.put(other, otherWords);
        return says;
    }

    /** By what it is known again in another snapshot. */
    public String key() {
        return kind + " " + subject;
    }

    public boolean involves(String source) {
        return says.containsKey(source);
    }
}
