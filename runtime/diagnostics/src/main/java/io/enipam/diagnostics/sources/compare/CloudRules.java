package io.enipam.diagnostics.sources.compare;

import static io.enipam.diagnostics.sources.Source.CLOUD;
import static io.enipam.diagnostics.sources.Source.ENI_REGISTRY;
import static io.enipam.diagnostics.sources.Source.POOL;
import static io.enipam.diagnostics.sources.compare.Difference.says;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.diagnostics.sources.NodeSources.CloudAnswer;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.diagnostics.sources.NodeSources.PoolState;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.EniDirectory;
import io.enipam.engine.port.ResourceDb;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The cloud against the pool and the registry of ENIs, in both directions. Pure. */
final class CloudRules {
    /** How late the cloud's lists may be, unless the factories have measured more. */
    private static final Duration LATE = Duration.ofSeconds(10);

    private static final Set<String> OF_THE_CLOUD =
            Arrays.stream(EniUse.values()).map(EniUse::factory).collect(Collectors.toSet());
    private static final Set<ResourceState> ON_THE_WAY =
            Set.of(ResourceState.CREATING, ResourceState.DISPOSING, ResourceState.INVALID);

    private CloudRules() {}

    // ---- what the daemon counts on is in the cloud

    /**
     * The pool's addresses are on their ENIs, and the registry's attached ENIs on this instance. The cloud's answer may be old and
     * may itself be late, so only what was as it is well before the cloud was asked counts. What the daemon has found out itself
     * (INVALID) is no difference as long as the cloud says the same.
     */
    static List<Difference> missing(Snapshot snapshot) {
        Optional<CloudAnswer> answer = snapshot.answer(CloudAnswer.class);
        if (answer.isEmpty()) {
            return List.of();
        }
        CloudAnswer cloud = answer.get();
        Instant settled = cloud.asked().minus(cloud.lag().compareTo(LATE) > 0 ? cloud.lag() : LATE);
        List<PoolView.Entry> entries = snapshot.answer(PoolState.class).stream()
                .flatMap(state -> state.pool().entries().stream())
                .filter(entry -> OF_THE_CLOUD.contains(entry.resource().factory()))
                .filter(entry -> entry.since().isBefore(settled))
                .toList();
        List<Difference> found = new ArrayList<>();
        entries.forEach(entry -> taken(entry, cloud).ifPresent(found::add));
        entries.forEach(entry -> back(entry, cloud).ifPresent(found::add));
        snapshot.answer(KnownEnis.class).stream()
                .flatMap(known -> known.enis().stream())
                .filter(eni -> eni.state().equals("InUse") && eni.since().isBefore(settled))
                .forEach(eni -> lost(eni, cloud).ifPresent(found::add));
        return found;
    }

    private static Optional<Difference> taken(PoolView.Entry entry, CloudAnswer cloud) {
        String eni = Statement.eniOf(entry.resource());
        Optional<ObservedEni> seen = cloud.eni(eni);
        Set<String> missing = new TreeSet<>(Statement.hosts(entry.resource()));
        seen.ifPresent(found -> found.addresses().forEach(missing::remove));
        if (missing.isEmpty() || ON_THE_WAY.contains(entry.state())) {
            return Optional.empty();
        }
        String elsewhere = cloud.state().enis().stream()
                .filter(holder -> holder.addresses().stream().anyMatch(missing::contains))
                .map(holder -> "on " + holder.id())
                .findFirst()
                .orElse(seen.isEmpty() ? "there is no ENI " + eni + " of this node" : "not on " + eni);
        return Optional.of(Difference.of(
                Kind.ADDRESS_NOT_IN_CLOUD,
                entry,
                "the cloud has taken " + String.join(", ", missing) + " off " + eni,
                says(POOL, user(entry), CLOUD, elsewhere)));
    }

    private static Optional<Difference> back(PoolView.Entry entry, CloudAnswer cloud) {
        String eni = Statement.eniOf(entry.resource());
        Set<String> hosts = Statement.hosts(entry.resource());
        return cloud.eni(eni)
                .filter(seen ->
                        entry.state() == ResourceState.INVALID && entry.owner().isPresent())
                .filter(seen -> cloud.serves(seen) && seen.addresses().containsAll(hosts))
                .map(seen -> Difference.of(
                        Kind.ADDRESS_BACK,
                        entry,
                        "the pool has given " + String.join(", ", hosts) + " up for lost, and the cloud has it on "
                                + eni,
                        says(POOL, user(entry), CLOUD, "on " + eni)));
    }

    private static String user(PoolView.Entry entry) {
        return entry.state() + entry.pod().map(pod -> " by pod " + pod).orElse("");
    }

    private static Optional<Difference> lost(EniDirectory.Eni eni, CloudAnswer cloud) {
        Optional<ObservedEni> seen = cloud.eni(eni.id());
        if (seen.filter(cloud::serves).isPresent()) {
            return Optional.empty();
        }
        String status = seen.map(CloudRules::status).orElse("no such ENI of this node");
        return Optional.of(Difference.ofEni(
                Kind.ENI_NOT_IN_CLOUD,
                eni.id(),
                Statement.hosts(eni.all()),
                eni.id(),
                "ENI " + eni.id() + " does not serve this node any more",
                says(ENI_REGISTRY, eni.state(), CLOUD, status)));
    }

    private static String status(ObservedEni eni) {
        return eni.status() + (eni.instance().isEmpty() ? ", attached to nothing" : ", on " + eni.instance());
    }

    // ---- what the cloud has of this node's is known here

    /**
     * DESIGN's fourth invariant. What a call under way is making is not known yet, so an ENI with an open operation is left out, and
     * so is everything new while a create is open; what the registry had when the cloud was asked, or has now, is known.
     */
    static List<Difference> unknown(Snapshot snapshot) {
        Optional<CloudAnswer> cloud = snapshot.answer(CloudAnswer.class);
        Optional<KnownEnis> registry = snapshot.answer(KnownEnis.class);
        Optional<ResourceDb.Contents> db = snapshot.answer(ResourceDb.Contents.class);
        if (cloud.isEmpty() || registry.isEmpty() || db.isEmpty()) {
            return List.of();
        }
        List<CloudOperation> open = db.get().operations().stream()
                .map(CloudJournal.Entry::operation)
                .toList();
        boolean creating = open.stream().anyMatch(CloudOperation.Create.class::isInstance);
        Set<String> busy = open.stream().map(CloudOperation::subject).collect(Collectors.toSet());
        List<Difference> found = new ArrayList<>();
        for (ObservedEni eni : cloud.get().state().enis()) {
            if (!eni.secondary() || busy.contains(eni.id())) {
                continue;
            }
            Optional<EniDirectory.Eni> now = registry.get().eni(eni.id());
            Optional<EniDirectory.Eni> then = cloud.get().before().eni(eni.id());
            if (now.isPresent()) {
                unknownAddresses(eni, now.get(), then, found);
            } else if (eni.tagged()
                    && then.isEmpty()
                    && !creating
                    && !eni.status().equals("Deleting")) {
                found.add(Difference.ofEni(
                        Kind.ENI_UNKNOWN,
                        eni.id(),
                        Set.copyOf(eni.addresses()),
                        eni.id(),
                        "ENI " + eni.id() + " carries this node's tags and is unknown here",
                        says(CLOUD, status(eni), ENI_REGISTRY, "not in it")));
            }
        }
        return found;
    }

    private static void unknownAddresses(
            ObservedEni seen, EniDirectory.Eni now, Optional<EniDirectory.Eni> then, List<Difference> found) {
        Set<String> known = new HashSet<>(Statement.hosts(now.all()));
        then.ifPresent(eni -> known.addAll(Statement.hosts(eni.all())));
        // a registry without any IPv6 address is of a node whose pods have none: those of an ENI are not its concern
        for (String address : now.ipv6s().isEmpty() ? seen.ips() : seen.addresses()) {
            if (!known.contains(address) && now.state().equals("InUse")) {
                found.add(Difference.ofEni(
                        Kind.ADDRESS_UNKNOWN,
                        seen.id() + "/" + address,
                        Set.of(address),
                        seen.id(),
                        "the cloud has " + address + " on " + seen.id() + ", and it is unknown here",
                        says(CLOUD, "on " + seen.id(), ENI_REGISTRY, "not on " + seen.id())));
            }
        }
    }
}
