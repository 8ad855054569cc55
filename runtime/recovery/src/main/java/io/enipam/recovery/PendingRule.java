package io.enipam.recovery;

import io.enipam.engine.model.ResourceKey;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.ResourceDb.Intent;
import io.enipam.recovery.RebuildPlan.Decision;
import io.enipam.recovery.RebuildPlan.Decision.Action;
import io.enipam.recovery.RebuildPlan.Draft;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Decides which of the things that were begun and not ended the next start is to finish.
 *
 * <p>What makes something is always kept: a create is repeated with its token, an attach and an assign are looked at,
 * and each of them may be finished as often as one likes. What takes something away is another matter. If its end was
 * in a commit that is missing, what it took may have come back since, and be a pod's by now: finishing it once more
 * would take the address from the pod. So it is kept only if the database is certain of it, or the kernel answered and
 * no pod has what it would take. An address or ENI that is left over because it was dropped is idle, or found by the
 * sweep.
 */
final class PendingRule {
    private final SourceIndex view;
    private final Collection<Claim> winners;
    private final boolean allUsersKnown;
    private final Draft draft;
    private final Set<ResourceKey> disposing = new HashSet<>();

    /**
     * @param winners what is lent
     * @param allUsersKnown whether the kernel shows sandboxes, and it is known what all of them have
     */
    PendingRule(SourceIndex view, Collection<Claim> winners, boolean allUsersKnown, Draft draft) {
        this.view = view;
        this.winners = winners;
        this.allUsersKnown = allUsersKnown;
        this.draft = draft;
    }

    /** Whether the next start disposes of a resource. */
    boolean disposing(Resource resource) {
        return disposing.contains(ResourceKey.of(resource));
    }

    void intent(SalvagedRecord<Intent> found) {
        Intent intent = found.value();
        String subject = intent.action().name().toLowerCase(Locale.ROOT) + " " + intent.token();
        if (intent.action() == Intent.Action.CREATE) {
            String why = "its address shows in the cloud's list or never came to be";
            keep(subject, found, why, new Change.PutIntent(intent));
            return;
        }
        boolean lent = winners.stream().anyMatch(claim -> intent.disposes(ResourceKey.of(claim.resource())));
        if (lent) {
            drop(subject, found, "its address is lent");
        } else if (found.certain() || allUsersKnown) {
            view.listed().stream().map(ResourceKey::of).filter(intent::disposes).forEach(disposing::add);
            keep(subject, found, "no pod has its address, and it is finished", new Change.PutIntent(intent));
        } else {
            drop(
                    subject,
                    found,
                    "it may have ended in a commit that is missing, and it is unknown which pod has the address");
        }
    }

    void operation(SalvagedRecord<CloudJournal.Entry> found) {
        CloudOperation operation = found.value().operation();
        String subject = operation instanceof CloudOperation.Unassign unassign
                ? "unassign " + String.join(", ", unassign.ips()) + " from " + unassign.eni()
                : operation.name() + " " + operation.subject();
        Change kept = new Change.PutOperation(found.value());
        if (!takes(operation)) {
            keep(subject, found, "finishing it once more does no harm", kept);
        } else if (winners.stream().anyMatch(claim -> takes(operation, claim.resource()))) {
            drop(subject, found, "it would take an address that is lent");
        } else if (found.certain() || allUsersKnown) {
            keep(subject, found, "no pod has what it takes away, and it is finished", kept);
        } else {
            drop(
                    subject,
                    found,
                    "it may have ended in a commit that is missing, and it is unknown which pod has what it takes");
        }
    }

    private static boolean takes(CloudOperation operation) {
        return operation instanceof CloudOperation.Unassign
                || operation instanceof CloudOperation.Detach
                || operation instanceof CloudOperation.Delete;
    }

    private static boolean takes(CloudOperation operation, Resource resource) {
        String eni = operation.subject();
        return operation instanceof CloudOperation.Unassign unassign
                ? resource.addresses().stream().map(Address::host).anyMatch(unassign.ips()::contains)
                : resource.parent().equals(eni) || resource.id().value().equals(eni);
    }

    private void keep(String subject, SalvagedRecord<?> found, String why, Change change) {
        draft.add(Decision.of(Action.KEEP_PENDING, subject, "-", found, "-", why), change);
    }

    private void drop(String subject, SalvagedRecord<?> found, String why) {
        draft.decisions().add(Decision.of(Action.DROP_PENDING, subject, "-", found, "-", why));
    }
}
