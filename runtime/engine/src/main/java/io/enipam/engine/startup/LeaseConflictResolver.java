package io.enipam.engine.startup;

import io.enipam.engine.model.AddressFormat;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.model.Pod;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.startup.RecoveryPlan.RecoveryPlanBuilder;
import io.enipam.sdk.Address;
import io.enipam.sdk.Resource;
import io.enipam.sdk.ResourceId;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides who has which address, from what database, kernel, API server and cloud say. Pure: it sees the
 * {@link ObservedState}, and changes nothing.
 *
 * <p>The rule behind all of it: the pod that may be using an address keeps it, and where two would have it, the running
 * pod does. Line by line ("runs" is by the API server; "listed" by the factory; a row is a lease of the database):
 *
 * <table>
 *   <caption>The cases</caption>
 *   <tr><th>database</th><th>kernel</th><th>API server and cloud</th><th>outcome</th></tr>
 *   <tr><td>1. row of address a</td><td>same sandbox, a</td><td>any</td><td>stays</td></tr>
 *   <tr><td>2. row</td><td>sandbox not there</td><td>any</td><td>stays: its ADD comes again, or DEL or the collector
 *       ends it</td></tr>
 *   <tr><td>3. no row; a is idle, cooling down, reserved or about to go back</td><td>sandbox with a</td><td>a
 *       listed</td><td> lease for the sandbox: {@code LeaseRebuilt}</td></tr>
 *   <tr><td>4. no row</td><td>sandbox with a</td><td>a listed, and the pod is unknown</td><td>lease in the name of a
 *       placeholder pod; an ADD of the sandbox names the real one, else the collector ends it:
 *       {@code LeaseRebuilt}</td></tr>
 *   <tr><td>5. no row</td><td>sandbox with a</td><td>a not listed</td><td>no lease; a is kept out of the pool until the
 *       sandbox is disconnected: {@code AttachmentUnlisted}</td></tr>
 *   <tr><td>6. row of a</td><td>same sandbox, b</td><td>b listed</td><td>the row says b from now on, a cools down:
 *       {@code LeaseConflict}</td></tr>
 *   <tr><td>7. row of a</td><td>same sandbox, b</td><td>b not listed</td><td>row stays; b is kept out of the pool:
 *       {@code AttachmentUnlisted}</td></tr>
 *   <tr><td>8. row of a for p</td><td>p not there; sandbox o with a</td><td>not (p runs and o does not)</td><td>o's,
 *       p's row ends: {@code LeaseConflict}</td></tr>
 *   <tr><td>9. row of a for p</td><td>p not there; sandbox o with a</td><td>p runs, o does not</td><td>stays p's; o has
 *       no lease: {@code LeaseConflict}</td></tr>
 *   <tr><td>10. row of a for p</td><td>p and o, both with a</td><td>o alone runs</td><td>o's, p's row ends: {@code
 *       LeaseConflict}</td></tr>
 *   <tr><td>11. row of a for p</td><td>p and o, both with a</td><td>any other</td><td>stays p's; o has no lease: {@code
 *       LeaseConflict}</td></tr>
 *   <tr><td>12. no row</td><td>o and q, both with a</td><td>one runs, or has a by the API server</td><td>that one's,
 *       else the first by name: {@code LeaseConflict}</td></tr>
 *   <tr><td>13. rows of a for p and q</td><td>any</td><td>any</td><td>the one's whose pod runs, else which is
 *       connected, else the newer: {@code LeaseConflict}</td></tr>
 *   <tr><td>14. no row of a, nor for pod p</td><td>nothing of p, no sandbox with a</td><td>p runs and has a; a
 *       listed</td><td>lease for p under a placeholder's name; p's next ADD gets it, the collector ends it when p is
 *       gone or has another address: {@code AddressKept}. Not if the database holds a for p: then p gave it
 *       back</td></tr>
 *   <tr><td>15. row of a for q</td><td>nothing of p, q not there</td><td>p runs and has a, q does not run</td><td>as
 *       14, and q's row ends: {@code LeaseConflict}</td></tr>
 *   <tr><td>16. any</td><td>sandbox without an address</td><td>any</td><td>nothing: it is half made or half
 *   gone</td></tr>
 *   <tr><td>17. row of a</td><td>same sandbox, b</td><td>b is another's by these rules</td><td>row stays, unless a is
 *       another's, too: {@code LeaseConflict}</td></tr>
 * </table>
 *
 * <p>An address is one, whatever the ids of the resources that have it: it may have moved from one interface to
 * another. A connected sandbox without a lease keeps the address out of the pool, also once its holder gives it back.
 */
final class LeaseConflictResolver {
    private final ObservedState evidence;
    private final AddressIndex<Resource> byAddress = new AddressIndex<>();
    private final SortedMap<OwnerKey, Attachment> sandboxes;
    private final Map<OwnerKey, Lease> rows = new TreeMap<>();
    private final Set<ResourceId> listed = new HashSet<>();
    private final List<AddressClaim> claims = new ArrayList<>();
    private final RecoveryPlanBuilder rulings;

    private LeaseConflictResolver(ObservedState evidence) {
        this.evidence = evidence;
        this.sandboxes = Attachment.byOwner(evidence.sandboxes());
        this.rulings = new RecoveryPlanBuilder(sandboxes, evidence.now());
    }

    static RecoveryPlan resolve(ObservedState evidence) {
        return new LeaseConflictResolver(evidence).resolve();
    }

    private RecoveryPlan resolve() {
        // the last statement counts
        evidence.holds().forEach(hold -> knowAddresses(hold.resource()));
        evidence.rows().forEach(row -> knowAddresses(row.resource()));
        evidence.listed().forEach(this::knowAddresses);
        evidence.listed().forEach(resource -> listed.add(resource.id()));
        evidence.rows().forEach(row -> rows.put(row.owner(), row));
        rows.values().forEach(this::claimOfRow);
        sandboxes.values().stream()
                .filter(sandbox -> !rows.containsKey(sandbox.owner()))
                .forEach(sandbox -> claimOfSandbox(sandbox, resourceOf(sandbox)));
        claims.stream().sorted(AddressClaim.BEST_FIRST).forEach(this::settle);
        Set<Lease> won = rulings.rowsThatWon();
        rows.values().stream()
                .filter(row -> !rulings.isDropped(row) && !rulings.isGranted(row.owner()) && !won.contains(row))
                .map(row -> claim(row, false))
                .sorted(AddressClaim.BEST_FIRST)
                .forEach(this::settleWhatIsLeft);
        new PlaceholderLeaseRule(evidence, rows.values(), sandboxes.values(), rulings).decide();
        rows.values().stream().filter(row -> rulings.isGranted(row.owner())).forEach(rulings::free);
        return rulings.build();
    }

    private void knowAddresses(Resource resource) {
        byAddress.put(resource, resource);
    }

    private void claimOfRow(Lease row) {
        Attachment sandbox = sandboxes.get(row.owner());
        boolean attached = sandbox != null
                && row.resource().addresses().stream().map(Address::ip).anyMatch(sandbox.addresses()::contains);
        Resource other = sandbox == null || attached ? null : resourceOf(sandbox);
        if (other != null) {
            claimOfSandbox(sandbox, other);
            return;
        }
        if (sandbox != null && !attached) {
            unlisted(sandbox);
        }
        claims.add(claim(row, attached));
    }

    private AddressClaim claim(Lease row, boolean attached) {
        return new AddressClaim(
                row.owner(),
                podOf(row),
                row.resource(),
                Optional.of(row),
                attached,
                evidence.residents().runs(row.pod(), row.podUid()),
                listed.contains(row.resource().id()));
    }

    private Pod podOf(Lease row) {
        return evidence.residents()
                .of(row.pod())
                .filter(pod -> pod.uid().equals(row.podUid()))
                .orElseGet(() -> new Pod(row.pod(), row.podUid(), false, row.stick()));
    }

    private void claimOfSandbox(Attachment sandbox, @Nullable Resource resource) {
        if (resource == null) {
            unlisted(sandbox);
            return;
        }
        Pod pod = evidence.residents().of(sandbox);
        claims.add(new AddressClaim(
                sandbox.owner(),
                pod,
                resource,
                Optional.empty(),
                true,
                evidence.residents().runs(pod.ref(), pod.uid()),
                listed.contains(resource.id())));
    }

    private @Nullable Resource resourceOf(Attachment sandbox) {
        return byAddress.at(sandbox).orElse(null);
    }

    private void unlisted(Attachment sandbox) {
        Set<InetAddress> unknown = sandbox.addresses().stream()
                .filter(address -> byAddress.at(address).isEmpty())
                .collect(Collectors.toSet());
        Pod pod = evidence.residents().of(sandbox);
        rulings.stray(sandbox.owner(), pod, sandbox.addresses(), unknown);
        rulings.report(
                Event.Severity.ERROR,
                "AttachmentUnlisted",
                sandbox.owner().toString(),
                "container " + sandbox.owner().containerId() + " of pod "
                        + pod.ref() + " is connected with " + text(unknown)
                        + ", which the cloud does not list for this node: the address is lent to no pod; delete the pod,"
                        + " so that it comes back with another one");
    }

    /** Of the best claims first: a claim that finds the place taken gets no lease. */
    private void settle(AddressClaim claim) {
        Optional<AddressClaim> holder = rulings.holder(claim.resource());
        if (holder.isPresent()) {
            rulings.lose(claim, holder.get());
            return;
        }
        rulings.setHolder(claim);
        if (claim.row().isEmpty()) {
            grant(claim);
        }
    }

    /**
     * Of a row whose owner did not get the other address that it is connected with: it stays, unless its own is taken.
     */
    private void settleWhatIsLeft(AddressClaim claim) {
        if (rulings.holder(claim.resource()).isEmpty()) {
            rulings.setHolder(claim);
        } else {
            claim.row().ifPresent(rulings::drop);
        }
    }

    private void grant(AddressClaim winner) {
        rulings.grant(winner);
        Lease before = rows.get(winner.owner());
        if (before == null) {
            rulings.report(
                    Event.Severity.WARNING,
                    "LeaseRebuilt",
                    winner.pod().ref().toString(),
                    winner.who() + " is connected with " + winner.address()
                            + ", and the database had no lease: it has one now");
        } else {
            rulings.report(
                    Event.Severity.ERROR,
                    "LeaseConflict",
                    winner.pod().ref().toString(),
                    winner.who() + " is connected with " + winner.address() + ", and its lease was of "
                            + AddressFormat.of(before.resource()) + ": the lease is of the former now");
        }
    }

    private static String text(Set<InetAddress> addresses) {
        return addresses.stream().map(AddressFormat::text).sorted().collect(Collectors.joining(", "));
    }
}
