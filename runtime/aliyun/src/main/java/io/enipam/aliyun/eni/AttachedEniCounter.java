package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Counts the ENIs that are attached to the instance and that no factory has in its registry. Each takes a slot of the
 * instance.
 *
 * <p>An ENI belongs to this node if it carries the tags of any use, if an operation on it is open in the journal, or if
 * a pod of this node has one of its addresses. Such an ENI is another factory's, which has not read the cloud yet, as
 * after a restart with another mode: its slot comes free when that factory gives it back, and does not reduce what the
 * node may have. All others are foreign.
 */
final class AttachedEniCounter {
    /**
     * What a count has found.
     *
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
        for (EniUse use : EniUse.values()) {
            if (!open.isEmpty() && use != fleet.settings.use()) {
                api.describeNetworkInterfaces(
                                EniTags.by(use, fleet.settings.spec().ownTags()))
                        .forEach(eni -> own.add(eni.id()));
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

    /** Takes note of a count, inside a turn, and publishes an event when the foreign ENIs are others than before. */
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
