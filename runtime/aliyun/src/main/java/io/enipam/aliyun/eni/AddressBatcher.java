package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.aliyun.eni.AddressRequest.AddressDisposal;
import io.enipam.aliyun.eni.AddressRequest.AssignmentPlan;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.Created;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The work of one ENI's worker: requests that wait together become one Assign, disposals that wait together become one
 * Unassign, and each outcome is matched to its request. All methods run inside a turn of the fleet.
 *
 * <p>Pods start in bursts, and a pod's address is requested when its ADD arrives. Were the first request of a burst sent
 * at once, all others would wait for that call and then for their own. So an Assign that has room waits until no request
 * has come for {@link #QUIET}, and no longer than {@link #GATHERING} from its first request: little beside an
 * Assign, for which the emulator's profile of the real cloud has 500 to 1,500 ms. Requests that waited for another call, or for an ENI, have waited long enough as a rule.
 *
 * <p>The cloud does not distinguish requests: an Assign for five gives a set of addresses. So each address that is new
 * to the registry goes to the next waiting request; a request that gets none is sent again in a new round, at the head
 * of the backlog, and a failure has the code that the cloud gives then. An address whose request has expired goes to
 * one that waits, and back to the cloud if none does.
 */
final class AddressBatcher {
    /** Addresses in one call, Assign or Unassign. */
    static final int BATCH = 10;

    /** How long no request has to have come before an Assign goes out that has room for more. */
    static final Duration QUIET = Duration.ofMillis(20);

    /** How long the first request of an Assign waits for others. */
    static final Duration GATHERING = Duration.ofMillis(100);

    private final EniRegistry fleet;
    private final ResourceMapper resources;
    private final EniRefresher reading;
    /** Whether a turn is due in which an Assign that waits for more requests may go out. */
    private boolean turnDue;

    AddressBatcher(EniRegistry fleet, ResourceMapper resources, EniRefresher reading) {
        this.fleet = fleet;
        this.reading = reading;
        this.resources = resources;
    }

    /** Starts whatever an idle worker can do. */
    void startNextCall(Eni eni) {
        AddressPairing.join(eni);
        lendSpares(eni);
        fleet.fillBacklog(eni);
        clearForRetirement(eni);
        giveUpHalves(eni);
        AssignmentPlan growth = AssignmentPlan.of(eni, fleet.settings, fleet.vswitches.batch(eni.vswitch()));
        if (!growth.isEmpty() && (eni.disposals.isEmpty() || !eni.assignedLast || eni.gathering)) {
            eni.gathering = awaitsMore(eni, growth);
            if (!eni.gathering) {
                assign(eni, growth);
            }
        } else if (!eni.disposals.isEmpty()) {
            unassign(eni);
        } else if (!eni.backlog.isEmpty()) {
            fleet.requeue(eni);
            fleet.defer(() -> fleet.applyOutcome(() -> {}));
        }
    }

    /** An ENI that is to go gives up its spare addresses. */
    private void clearForRetirement(Eni eni) {
        if (eni.retirement.isPresent()) {
            eni.addresses().forEach((ip, address) -> {
                if (address.is(Holder.SPARE)) {
                    queueUnassign(eni, new AddressDisposal(resources.id(eni, ip), ip));
                }
            });
        }
    }

    /** Addresses without a partner and without a request: kept, they would only count. */
    private void giveUpHalves(Eni eni) {
        boolean lends = eni.dual() && eni.understood && fleet.settings.use() == EniUse.ADDRESSES;
        if (!lends || eni.retirement.isPresent() || fleet.isWanted(eni)) {
            return;
        }
        Stream.concat(eni.addresses().values().stream(), eni.ipv6s().values().stream())
                .filter(address -> address.is(Holder.SPARE) && address.partner().isEmpty())
                .map(EniAddress::ip)
                .filter(ip -> !ip.equals(eni.primaryIp()))
                .toList()
                .forEach(ip -> queueUnassign(eni, new AddressDisposal(resources.id(eni, ip), ip)));
    }

    private void lendSpares(Eni eni) {
        for (Map.Entry<String, EniAddress> entry : eni.addresses().entrySet()) {
            if (eni.backlog.isEmpty()) {
                return;
            }
            if (entry.getValue().is(Holder.SPARE) && eni.isLendable(entry.getValue())) {
                lend(eni, entry.getKey(), entry.getValue(), eni.backlog.removeFirst());
            }
        }
    }

    private void lend(Eni eni, String ip, EniAddress address, AddressRequest ticket) {
        address.become(Holder.ENGINE);
        eni.kept = false;
        eni.version++;
        // Before the answer, not after it: its receiver may ask for a list at once, and must find the address there.
        fleet.defer(() -> fleet.read(address::markDelivered));
        fleet.complete(ticket, new Created(resources.of(eni, ip)));
    }

    // ---- Assign

    /** Whether an Assign has room and its requests are so young that others may come. */
    private boolean awaitsMore(Eni eni, AssignmentPlan growth) {
        if (growth.wishes() < eni.backlog.size() || growth.wishes() == BATCH || fleet.capacityLeft(eni) == 0) {
            return false;
        }
        long now = fleet.nanos();
        long left = Math.min(
                QUIET.toNanos() - (now - eni.backlog.getLast().since()),
                GATHERING.toNanos() - (now - eni.backlog.getFirst().since()));
        if (left <= 0) {
            return false;
        }
        turnDue = turnDue || fleet.schedule(Duration.ofNanos(left), () -> turnDue = false);
        return turnDue;
    }

    private void assign(Eni eni, AssignmentPlan growth) {
        eni.assigning.clear();
        for (int i = 0; i < growth.wishes(); i++) {
            eni.assigning.add(eni.backlog.removeFirst());
        }
        List<AddressRequest> batch = List.copyOf(eni.assigning);
        String token = AddressRequest.clientToken("assign " + eni.id(), batch);
        String id = eni.id();
        fleet.endOperations(eni);
        eni.assignedLast = true;
        eni.setBusy(true);
        List<String> wishes = AddressRequest.names(batch.stream());
        CloudJournal.Entry operation =
                fleet.cloud.operation(new CloudOperation.Assign(id, growth.ips(), growth.ipv6s(), token));
        fleet.cloud.call(
                operation,
                api -> growth.execute(api.onBehalfOf(wishes), id, token),
                answer -> assigned(eni, batch, answer),
                failure -> {
                    keepIfLost(eni, operation, failure);
                    notAssigned(eni, batch, failure);
                });
    }

    private void assigned(Eni eni, List<AddressRequest> batch, AssignmentPlan.Outcome answer) {
        eni.setBusy(false);
        eni.assigning.clear();
        Set<String> fresh = new LinkedHashSet<>(answer.ips().ips());
        fresh.removeAll(eni.addresses().keySet());
        fresh.forEach(eni::add);
        fresh.forEach(ip -> eni.recordChange(ip, fleet.nanos()));
        fleet.vswitches.granted(eni.vswitch(), fresh.size());
        if (eni.dual()) {
            paired(eni, batch, fresh, answer);
            return;
        }
        String text = fresh.size() + " of " + batch.size() + " addresses assigned on ENI " + eni.id();
        tellAssigned(eni, fresh.size() >= batch.size(), text, fresh, answer);
        share(eni, batch, fresh, triedEnough(eni.id()));
    }

    private void tellAssigned(
            Eni eni, boolean all, String text, Collection<String> ips, AssignmentPlan.Outcome answer) {
        Map<String, String> attributes = Map.of("requestId", answer.requestId(), "addresses", String.join(",", ips));
        fleet.publish(all ? Severity.INFO : Severity.WARNING, "AddressesAssigned", eni.id(), text, attributes);
    }

    /** The same where a request takes an address of both families. */
    private void paired(Eni eni, List<AddressRequest> batch, Set<String> fresh, AssignmentPlan.Outcome answer) {
        Set<String> freshIpv6 = new LinkedHashSet<>(answer.ipv6s().ips());
        freshIpv6.removeAll(eni.ipv6s().keySet());
        freshIpv6.forEach(eni::addIpv6);
        freshIpv6.forEach(ip -> eni.recordChange(ip, fleet.nanos()));
        AddressPairing.join(eni);
        boolean enough = eni.countReady() >= batch.size();
        List<String> all = Stream.concat(fresh.stream(), freshIpv6.stream()).toList();
        String text = fresh.size() + " IPv4 and " + freshIpv6.size() + " IPv6 addresses assigned on ENI " + eni.id()
                + " for " + batch.size() + (batch.size() == 1 ? " wish" : " wishes")
                + answer.failure().map(why -> ": " + why.getMessage()).orElse("");
        tellAssigned(eni, enough, text, all, answer);
        if (answer.failure().isEmpty()) {
            share(eni, batch, fresh, triedEnough(eni.id()));
            return;
        }
        // there may be IPv6 addresses that others have left: whom they serve is served
        List<AddressRequest> rest = new ArrayList<>(batch);
        rest.removeIf(AddressRequest::answered);
        for (String ip : lendable(eni, fresh)) {
            if (!rest.isEmpty()) {
                lend(eni, ip, eni.addresses().get(ip), rest.remove(0));
            }
        }
        // the call is not over for them: what comes next may be a look
        eni.setBusy(true);
        eni.assigning.addAll(rest);
        notAssigned(eni, rest, answer.failure().get());
    }

    private static List<String> lendable(Eni eni, Set<String> fresh) {
        return eni.dual()
                ? eni.addresses().values().stream()
                        .filter(address -> address.is(Holder.SPARE) && eni.isLendable(address))
                        .map(EniAddress::ip)
                        .toList()
                : List.copyOf(fresh);
    }

    /** Gives new addresses to a batch; a request that gets none comes first in the next one, or fails at last. */
    private void share(Eni eni, List<AddressRequest> batch, Set<String> fresh, Failed atLast) {
        List<String> left = new ArrayList<>(lendable(eni, fresh));
        List<AddressRequest> shortOf = new ArrayList<>();
        for (AddressRequest ticket : batch) {
            if (ticket.answered()) {
                continue;
            }
            if (left.isEmpty()) {
                shortOf.add(ticket);
            } else {
                String ip = left.remove(0);
                lend(eni, ip, eni.addresses().get(ip), ticket);
            }
        }
        retry(eni, shortOf, atLast);
        for (String ip : left) {
            // Its request has expired: it serves another one, or goes back.
            AddressRequest other = eni.backlog.isEmpty() ? fleet.waiting.pollFirst() : eni.backlog.removeFirst();
            if (other != null) {
                lend(eni, ip, eni.addresses().get(ip), other);
            } else if (!ip.equals(eni.primaryIp())) {
                queueUnassign(eni, new AddressDisposal(resources.id(eni, ip), ip));
            }
        }
    }

    private void retry(Eni eni, List<AddressRequest> tickets, Failed atLast) {
        for (int i = tickets.size() - 1; i >= 0; i--) {
            AddressRequest ticket = tickets.get(i);
            ticket.nextRound();
            if (ticket.round() >= AddressRequest.ROUNDS) {
                fleet.complete(ticket, atLast);
            } else if (!ticket.answered()) {
                eni.backlog.addFirst(ticket);
            }
        }
    }

    /** An answer that was lost leaves the operation open until the ENI has been read. */
    private static void keepIfLost(Eni eni, CloudJournal.Entry operation, EcsException failure) {
        if (failure.outcomeUnknown()) {
            eni.openOperations.add(operation);
        }
    }

    private void notAssigned(Eni eni, List<AddressRequest> batch, EcsException failure) {
        Failed failed = failure.asFailed();
        if (failure.outcomeUnknown()) {
            // The cloud may have done it: what is on the ENI now and not in the registry is the answer.
            reading.refresh(eni, fresh -> {
                batch.forEach(AddressRequest::exhaust);
                share(eni, batch, fresh, failed);
            });
            return;
        }
        if (VSwitches.lacksIpv6(failure)) {
            putBack(eni, batch);
            fleet.vswitches.withoutIpv6(eni.vswitch());
            fleet.disableVSwitch(eni.vswitch(), failure);
            fleet.requeue(eni);
            return;
        }
        switch (failure.reaction()) {
            case NEXT_VSWITCH -> {
                putBack(eni, batch);
                if (fleet.vswitches.refused(eni.vswitch(), Math.max(1, batch.size()))) {
                    EniLifecycle.reportExhausted(fleet, eni, failure);
                    fleet.requeue(eni);
                }
            }
            case RESYNC_ENI, WAIT_FOR_STATE -> reading.refresh(eni, fresh -> share(eni, batch, fresh, failed));
            case GONE -> {
                putBack(eni, batch);
                lost(eni);
            }
            default -> {
                eni.setBusy(false);
                eni.assigning.clear();
                batch.forEach(ticket -> fleet.complete(ticket, failed));
            }
        }
    }

    /** The call is over without an address: its requests come first in the next one, in a new round. */
    private static void putBack(Eni eni, List<AddressRequest> batch) {
        eni.setBusy(false);
        eni.assigning.clear();
        batch.forEach(AddressRequest::nextRound);
        for (int i = batch.size() - 1; i >= 0; i--) {
            if (!batch.get(i).answered()) {
                eni.backlog.addFirst(batch.get(i));
            }
        }
    }

    // ---- Unassign

    /** Puts an address on its way off the ENI. */
    void queueUnassign(Eni eni, AddressDisposal disposal) {
        eni.find(disposal.ip()).orElseThrow().become(Holder.LEAVING);
        eni.disposals.add(disposal);
        eni.version++;
    }

    private void unassign(Eni eni) {
        eni.unassigning.clear();
        while (!eni.disposals.isEmpty() && eni.unassigning.size() < BATCH) {
            eni.unassigning.add(eni.disposals.removeFirst());
        }
        List<AddressDisposal> batch = List.copyOf(eni.unassigning);
        List<String> ips = batch.stream()
                .map(AddressDisposal::ip)
                .filter(eni.addresses()::containsKey)
                .toList();
        List<String> ipv6s = batch.stream()
                .flatMap(disposal -> ipv6(eni, disposal.ip()).stream())
                .toList();
        List<String> all = Stream.concat(ips.stream(), ipv6s.stream()).toList();
        String id = eni.id();
        // What was lost on this ENI and could not be looked at is asked again by this; it must not outlive it.
        fleet.endOperations(eni);
        eni.assignedLast = false;
        eni.gathering = false;
        eni.setBusy(true);
        List<String> leaving =
                batch.stream().map(disposal -> disposal.id().value()).toList();
        CloudJournal.Entry operation = fleet.cloud.operation(new CloudOperation.Unassign(id, all));
        fleet.cloud.call(
                operation,
                api -> callUnassign(api.onBehalfOf(leaving), id, ips, ipv6s),
                answer -> {
                    eni.setBusy(false);
                    eni.unassigning.clear();
                    batch.forEach(disposal -> gone(eni, disposal));
                },
                failure -> {
                    keepIfLost(eni, operation, failure);
                    notUnassigned(eni, batch, failure, !ips.isEmpty() && !ipv6s.isEmpty());
                });
    }

    /** What goes of the IPv6 ones with an address: the one beside it, or itself. */
    private static Optional<String> ipv6(Eni eni, String ip) {
        return eni.ipv6s().containsKey(ip)
                ? Optional.of(ip)
                : eni.find(ip).flatMap(EniAddress::partner).map(EniAddress::ip);
    }

    /** One call for each family; the addresses that are named by an IPv4 one are there as long as that is. */
    static EcsApi.Acknowledgement callUnassign(EcsApi api, String eni, List<String> ips, List<String> ipv6s) {
        EcsApi.Acknowledgement answer = new EcsApi.Acknowledgement("");
        if (!ipv6s.isEmpty()) {
            answer = api.unassignIpv6Addresses(eni, ipv6s);
        }
        return ips.isEmpty() ? answer : api.unassignPrivateIpAddresses(eni, ips);
    }

    private void gone(Eni eni, AddressDisposal disposal) {
        Optional<String> six = ipv6(eni, disposal.ip());
        six.ifPresent(eni::remove);
        six.ifPresent(ip -> eni.recordChange(ip, fleet.nanos()));
        eni.remove(disposal.ip());
        eni.recordChange(disposal.ip(), fleet.nanos());
        eni.version++;
        fleet.vswitches.freed(eni.vswitch());
        fleet.complete(disposal, new Disposed(disposal.id()));
    }

    /** @param half whether one family's addresses may be gone and the other's not */
    private void notUnassigned(Eni eni, List<AddressDisposal> batch, EcsException failure, boolean half) {
        if (failure.reaction() == ErrorReaction.GONE) {
            eni.setBusy(false);
            lost(eni);
            return;
        }
        if (half || failure.outcomeUnknown() || failure.reaction() == ErrorReaction.ALREADY_DONE) {
            reading.refresh(eni, fresh -> judge(eni, batch, failure));
        } else {
            eni.setBusy(false);
            judge(eni, batch, failure);
        }
    }

    /**
     * After a failed Unassign: what is off the ENI is gone; the rest is asked again, or fails and stays the engine's.
     */
    private void judge(Eni eni, List<AddressDisposal> batch, EcsException failure) {
        eni.unassigning.clear();
        Failed failed = failure.asFailed();
        for (AddressDisposal disposal : batch) {
            if (eni.find(disposal.ip()).isEmpty()) {
                gone(eni, disposal);
            } else if (failure.reaction() == ErrorReaction.ALREADY_DONE
                    && disposal.rounds().incrementAndGet() < AddressRequest.ROUNDS) {
                eni.disposals.addFirst(disposal);
            } else {
                stay(eni, disposal, failed);
                // An ENI with an address that stays cannot go.
                eni.retirement.ifPresent(primary -> stay(eni, primary, failed));
                eni.retirement = Optional.empty();
            }
        }
    }

    private void stay(Eni eni, AddressDisposal disposal, Failed why) {
        EniAddress address = eni.find(disposal.ip()).orElseThrow();
        address.become(Holder.ENGINE);
        address.markDelivered();
        eni.version++;
        fleet.complete(disposal, why);
    }

    private void lost(Eni eni) {
        fleet.removeLost(eni, "the cloud answers that it does not exist any more: another actor has deleted it");
    }

    /** The failure a request gets that has been tried too often. */
    private static Failed triedEnough(String eni) {
        String why = "the cloud gave fewer addresses on ENI " + eni + " than were asked of it, " + AddressRequest.ROUNDS
                + " times";
        return new Failed(ErrorKind.UNAVAILABLE, why, Duration.ofSeconds(1));
    }
}
