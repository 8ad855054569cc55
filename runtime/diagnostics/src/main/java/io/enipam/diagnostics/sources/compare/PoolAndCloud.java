package io.enipam.diagnostics.sources.compare;

import io.enipam.aliyun.eni.EniUse;
import io.enipam.diagnostics.sources.CloudWord;
import io.enipam.diagnostics.sources.EniBook;
import io.enipam.diagnostics.sources.PoolWord;
import io.enipam.diagnostics.sources.Saying;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.compare.Difference.Kind;
import io.enipam.engine.pool.PoolView;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.EniDirectory;
import io.enipam.sdk.ResourceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the daemon counts on is in the cloud: the pool's addresses on their ENIs, and the book's attached ENIs on this instance.
 * The cloud's answer may be old and may itself be late, so only what was as it is well before the cloud was asked counts. What
 * the daemon has found out itself (INVALID) is no difference as long as the cloud says the same.
 */
final class PoolAndCloud implements Comparison {
    /** How late the cloud's lists may be, unless the factories have measured more. */
    private static final Duration LATE = Duration.ofSeconds(10);

    private static final Set<String> OF_THE_CLOUD =
            Arrays.stream(EniUse.values()).map(EniUse::factory).collect(Collectors.toSet());

    private static final Set<ResourceState> ON_THE_WAY =
            Set.of(ResourceState.CREATING, ResourceState.DISPOSING, ResourceState.INVALID);

    @Override
    public List<Difference> differences(Snapshot snapshot) {
        Optional<CloudWord> cloud = snapshot.told(CloudWord.class);
        if (cloud.isEmpty()) {
            return List.of();
        }
        Instant settled = cloud.get()
                .asked()
                .minus(cloud.get().lag().compareTo(LATE) > 0 ? cloud.get().lag() : LATE);
        List<Difference> found = new ArrayList<>();
        snapshot.told(PoolWord.class).stream()
                .flatMap(word -> word.pool().entries().stream())
                .filter(entry -> OF_THE_CLOUD.contains(entry.resource().factory()))
                .filter(entry ->
                        !ON_THE_WAY.contains(entry.state()) && entry.since().isBefore(settled))
                .forEach(entry -> entry(entry, cloud.get(), found));
        snapshot.told(PoolWord.class).stream()
                .flatMap(word -> word.pool().entries().stream())
                .filter(entry -> OF_THE_CLOUD.contains(entry.resource().factory()))
                .filter(entry -> entry.state() == ResourceState.INVALID
                        && entry.owner().isPresent()
                        && entry.since().isBefore(settled))
                .forEach(entry -> back(entry, cloud.get(), found));
        snapshot.told(EniBook.class).stream()
                .flatMap(book -> book.enis().stream())
                .filter(eni -> eni.state().equals("InUse") && eni.since().isBefore(settled))
                .forEach(eni -> eni(eni, cloud.get(), found));
        return found;
    }

    private static void entry(PoolView.Entry entry, CloudWord cloud, List<Difference> found) {
        String eni = Saying.eniOf(entry.resource());
        List<String> missing = Facts.hosts(entry.resource()).stream()
                .filter(address -> cloud.eni(eni)
                        .filter(seen -> seen.addresses().contains(address))
                        .isEmpty())
                .toList();
        if (missing.isEmpty()) {
            return;
        }
        String elsewhere = missing.stream()
                .flatMap(cloud::holders)
                .map(holder -> "on " + holder.id())
                .findFirst()
                .orElse(cloud.eni(eni).isEmpty() ? "there is no ENI " + eni + " of this node" : "not on " + eni);
        found.add(new Difference(
                Kind.ADDRESS_NOT_IN_CLOUD,
                entry.resource().id().value(),
                Facts.hosts(entry.resource()),
                eni,
                entry.owner(),
                entry.pod(),
                "the cloud has taken " + String.join(", ", missing) + " off " + eni,
                Facts.says(
                        Facts.POOL,
                        entry.state() + entry.pod().map(pod -> " by pod " + pod).orElse(""),
                        Facts.CLOUD,
                        elsewhere)));
    }

    private static void back(PoolView.Entry entry, CloudWord cloud, List<Difference> found) {
        String eni = Saying.eniOf(entry.resource());
        Set<String> hosts = Facts.hosts(entry.resource());
        if (cloud.eni(eni)
                .filter(cloud::serves)
                .filter(seen -> seen.addresses().containsAll(hosts))
                .isPresent()) {
            found.add(new Difference(
                    Kind.ADDRESS_BACK,
                    entry.resource().id().value(),
                    hosts,
                    eni,
                    entry.owner(),
                    entry.pod(),
                    "the pool has given " + String.join(", ", hosts) + " up for lost, and the cloud has it on " + eni,
                    Facts.says(
                            Facts.POOL,
                            entry.state()
                                    + entry.pod().map(pod -> " by pod " + pod).orElse(""),
                            Facts.CLOUD,
                            "on " + eni)));
        }
    }

    private static void eni(EniDirectory.Eni eni, CloudWord cloud, List<Difference> found) {
        Optional<ObservedEni> seen = cloud.eni(eni.id());
        if (seen.filter(cloud::serves).isPresent()) {
            return;
        }
        found.add(new Difference(
                Kind.ENI_NOT_IN_CLOUD,
                eni.id(),
                eni.all().stream().map(Facts::bare).collect(Collectors.toSet()),
                eni.id(),
                Optional.empty(),
                Optional.empty(),
                "ENI " + eni.id() + " does not serve this node any more",
                Facts.says(
                        Facts.BOOK,
                        eni.state(),
                        Facts.CLOUD,
                        seen.map(s -> s.status()
                                        + (s.instance().isEmpty() ? ", attached to nothing" : ", on " + s.instance()))
                                .orElse("no such ENI of this node"))));
    }
}
