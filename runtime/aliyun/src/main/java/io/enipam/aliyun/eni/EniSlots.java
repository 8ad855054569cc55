package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How many ENIs this node may have, shared by the factories on the instance: the instance's bound does not ask what an
 * ENI is for, nor who attached it. Thread-safe, instant.
 *
 * <p>The counts are what the factories have in their registries, reported with each turn, so that nothing can leak;
 * only the ENIs a factory begins within a turn are added at once, lest two take the last slot. Attached ENIs that no
 * factory has in its registry come from a count at the cloud ({@link AttachedEniCounter}); one that a factory takes
 * into its registry, or out of it, leaves that count at once.
 */
public final class EniSlots {
    private final int most;
    private final int instance;
    private final Map<EniUse, Set<String>> books = new EnumMap<>(EniUse.class);
    private final Map<EniUse, Integer> taken = new EnumMap<>(EniUse.class);
    private final Map<EniUse, Integer> leaving = new EnumMap<>(EniUse.class);
    private final Map<EniUse, Runnable> watchers = new EnumMap<>(EniUse.class);
    private final Set<String> foreign = new HashSet<>();
    private final Set<String> unread = new HashSet<>();
    /** How often slots have become free, and how often those of each use. */
    private long freed;

    private final Map<EniUse, Long> freedBy = new EnumMap<>(EniUse.class);

    /** Of how many secondary ENIs this node may have at one time, and the instance, those of others included. */
    public EniSlots(int most, int instance) {
        this.most = most;
        this.instance = instance;
    }

    /** How many ENIs this node may have: what others have attached to the instance takes their place. */
    synchronized int bound() {
        return Math.max(0, Math.min(most, instance - foreign.size()));
    }

    /** How many are free; 0 if there are more ENIs than there may be. */
    synchronized int free() {
        return Math.max(
                0, bound() - taken.values().stream().mapToInt(Integer::intValue).sum() - unread.size());
    }

    synchronized boolean take(EniUse use) {
        if (free() == 0) {
            return false;
        }
        taken.merge(use, 1, Integer::sum);
        return true;
    }

    /**
     * A factory's registry has these ENIs, in whatever state.
     *
     * @param onTheirWayOff how many of them hold their slots only until the cloud has deleted them
     * @return whether slots have become free: then {@link #wakeOthers} is to be called, outside of any turn
     */
    synchronized boolean setHeld(EniUse use, Set<String> enis, int onTheirWayOff) {
        int before = free();
        Set<String> former = books.put(use, Set.copyOf(enis));
        taken.put(use, enis.size());
        leaving.put(use, onTheirWayOff);
        Stream.concat(Stream.ofNullable(former).flatMap(Set::stream), enis.stream())
                .forEach(eni -> {
                    foreign.remove(eni);
                    unread.remove(eni);
                });
        if (free() <= before) {
            return false;
        }
        freed++;
        freedBy.merge(use, 1L, Long::sum);
        return true;
    }

    synchronized boolean isRegistered(String eni) {
        return books.values().stream().anyMatch(book -> book.contains(eni));
    }

    /**
     * Takes note of which attached ENIs no registry has.
     *
     * @param others those that do not belong to this node
     * @param own those that belong to this node, and that no factory has read yet
     * @return whether slots have become free: then {@link #wakeOthers} is to be called, outside of any turn
     */
    synchronized boolean setUnregistered(Set<String> others, Set<String> own) {
        int before = free();
        replace(foreign, others);
        replace(unread, own);
        if (free() <= before) {
            return false;
        }
        freed++;
        return true;
    }

    private void replace(Set<String> old, Set<String> now) {
        old.clear();
        old.addAll(now);
        // since the cloud was asked, a factory may have taken them into its registry
        old.removeIf(this::isRegistered);
    }

    /** How many of the instance's ENIs do not belong to this node. */
    synchronized int foreign() {
        return foreign.size();
    }

    /** How many ENIs of this node serve other uses, or will when their factory has read them. */
    synchronized int heldByOthers(EniUse use) {
        return unread.size() + others(taken, use);
    }

    /** How many slots of other uses come free by themselves. */
    synchronized int leavingForOthers(EniUse use) {
        return others(leaving, use);
    }

    /** How often slots that this use did not hold have become free; only whether it has changed says something. */
    synchronized long freedByOthers(EniUse use) {
        return freed - freedBy.getOrDefault(use, 0L);
    }

    private static int others(Map<EniUse, Integer> counts, EniUse use) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey() != use)
                .mapToInt(Map.Entry::getValue)
                .sum();
    }

    synchronized void watch(EniUse use, Runnable look) {
        watchers.put(use, look);
    }

    /** Has the other factories look for free slots. Not to be called inside a turn: each look is a turn of its own. */
    void wakeOthers(EniUse use) {
        Map<EniUse, Runnable> all;
        synchronized (this) {
            all = new HashMap<>(watchers);
        }
        all.remove(use);
        all.values().forEach(Runnable::run);
    }

    /**
     * Counts the ENIs that are attached to the instance and that no factory has in its registry. Each takes a slot of
     * the instance.
     *
     * <p>An ENI belongs to this node if it carries the tags of any use or of its plugins, if an operation on it is open in
     * the journal, or if a pod of this node has one of its addresses. Such an ENI is another factory's, which has not read the cloud
     * yet, as after a restart with another mode: its slot comes free when that factory gives it back, and does not
     * reduce what the node may have. All others are foreign.
     */
    static final class AttachedEniCounter {
        /**
         * @param foreign ids of those that do not belong to this node
         * @param unread ids of those that belong to this node
         */
        record Count(Set<String> foreign, Set<String> unread) {}

        private final EniRegistry fleet;
        private final CloudJournal journal;
        private Set<String> told = Set.of();

        /** @param journal the node's, with the operations of all uses */
        AttachedEniCounter(EniRegistry fleet, CloudJournal journal) {
            this.fleet = fleet;
            this.journal = journal;
        }

        /**
         * Distinguishes this node's ENIs from foreign ones. Asks the cloud; not to be called inside a turn.
         *
         * @param others attached to the instance and in no registry
         */
        Count count(EcsApi api, List<NetworkInterface> others) {
            List<NetworkInterface> open = new ArrayList<>(others);
            Set<String> own = new HashSet<>();
            journal.open().forEach(entry -> own.add(entry.operation().subject()));
            open.removeIf(eni -> own.contains(eni.id()));
            FactorySettings settings = fleet.settings;
            Stream<Map<String, String>> ofUses = Stream.of(EniUse.values())
                    .filter(use -> use != settings.use())
                    .map(use -> EniTags.by(use, settings.spec().ownTags()));
            Map<String, String> ofPlugins = EniTags.ofPlugins(settings.spec().instanceId());
            for (Map<String, String> tags :
                    Stream.concat(ofUses, Stream.of(ofPlugins)).toList()) {
                if (!open.isEmpty()) {
                    api.describeNetworkInterfaces(tags).forEach(eni -> own.add(eni.id()));
                    open.removeIf(eni -> own.contains(eni.id()));
                }
            }
            if (!open.isEmpty()) {
                Set<String> lent = EniRefresher.lent(fleet.known.read());
                open.removeIf(eni -> eni.ips().stream().anyMatch(lent::contains));
            }
            Set<String> foreign = open.stream().map(NetworkInterface::id).collect(Collectors.toSet());
            Set<String> unread = others.stream().map(NetworkInterface::id).collect(Collectors.toSet());
            unread.removeAll(foreign);
            return new Count(foreign, unread);
        }

        /** Notes a count, inside a turn, and publishes an event when the foreign ENIs are others than before. */
        void record(Count count) {
            if (fleet.slots.setUnregistered(count.foreign(), count.unread())) {
                fleet.defer(() -> fleet.slots.wakeOthers(fleet.settings.use()));
            }
            Set<String> now = new TreeSet<>(count.foreign());
            if (now.equals(told)) {
                return;
            }
            told = now;
            String text = now.isEmpty()
                    ? "all ENIs of this instance belong to this node again; it may have "
                    : now.size() + " ENIs of this instance do not belong to this node and are left alone; it may have ";
            fleet.publish(
                    Severity.INFO,
                    "ForeignEnis",
                    fleet.settings.spec().instanceId(),
                    text + fleet.slots.bound(),
                    Map.of("enis", String.join(",", now)));
        }
    }
}
