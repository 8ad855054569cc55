package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi.AssignedAddresses;
import io.enipam.aliyun.api.EcsFailure;
import io.enipam.aliyun.api.Reaction;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.Created;
import io.enipam.sdk.Disposed;
import io.enipam.sdk.Failed;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The work of one ENI's worker: wishes that wait together become one Assign, disposals that wait together become one
 * Unassign, and each outcome is matched to its wish. All methods run inside a turn of the fleet.
 *
 * <p>Wishes are not told apart by the cloud: an Assign for five gives a set of addresses. So each address that is new to the
 * book goes to the next wish still waiting; who gets none is asked again in a new round, at the head of the backlog, and
 * hears of a failure with the code that the cloud gives then. An address whose wish has expired goes to whoever waits, and
 * back to the cloud if nobody does.
 */
final class AddressWork {
    /** Addresses in one call, Assign or Unassign. */
    static final int BATCH = 10;

    private final Fleet fleet;
    private final Resources resources;

    private final EniReading reading;

    AddressWork(Fleet fleet, Resources resources, EniReading reading) {
        this.fleet = fleet;
        this.reading = reading;
        this.resources = resources;
    }

    /** Starts whatever an idle worker can do. */
    void next(Eni eni) {
        lendSpares(eni);
        fleet.topUp(eni);
        clearForRetirement(eni);
        int free = fleet.settings.ipv4PerEni() - eni.addresses().size();
        int count = Math.min(Math.min(fleet.vswitches.batch(eni.vswitch()), free), eni.backlog.size());
        if (count > 0 && (eni.disposals.isEmpty() || !eni.assignedLast)) {
            assign(eni, count);
        } else if (!eni.disposals.isEmpty()) {
            unassign(eni);
        } else if (!eni.backlog.isEmpty()) {
            fleet.requeue(eni);
            fleet.again();
        }
    }

    /** An ENI that is to go gives up the addresses nobody has. */
    private void clearForRetirement(Eni eni) {
        if (eni.retirement.isPresent()) {
            eni.addresses().forEach((ip, address) -> {
                if (address.is(Holder.SPARE)) {
                    leave(eni, new Disposal(resources.id(eni, ip), ip));
                }
            });
        }
    }

    private void lendSpares(Eni eni) {
        for (Map.Entry<String, EniAddress> entry : eni.addresses().entrySet()) {
            if (eni.backlog.isEmpty()) {
                return;
            }
            if (entry.getValue().is(Holder.SPARE)) {
                lend(eni, entry.getKey(), entry.getValue(), eni.backlog.removeFirst());
            }
        }
    }

    private void lend(Eni eni, String ip, EniAddress address, Ticket ticket) {
        address.become(Holder.ENGINE);
        eni.kept = false;
        eni.version++;
        // Before the answer, not after it: whoever has it may ask for a list at once, and must find it there.
        fleet.afterwards(() -> fleet.read(() -> {
            address.markDelivered();
            return true;
        }));
        fleet.answer(ticket, new Created(resources.of(eni, ip)));
    }

    // ---- Assign

    private void assign(Eni eni, int count) {
        eni.assigning.clear();
        for (int i = 0; i < count; i++) {
            eni.assigning.add(eni.backlog.removeFirst());
        }
        List<Ticket> batch = List.copyOf(eni.assigning);
        String token = ClientTokens.of("assign " + eni.id(), batch);
        String id = eni.id();
        fleet.over(eni);
        eni.assignedLast = true;
        eni.callBegins();
        List<String> wishes = Beneficiaries.of(batch);
        CloudJournal.Entry operation = fleet.cloud.operation(new CloudOperation.Assign(id, count, token));
        fleet.cloud.call(
                operation,
                api -> api.serving(wishes).assignPrivateIpAddresses(id, count, token),
                answer -> assigned(eni, batch, answer),
                failure -> {
                    keepIfLost(eni, operation, failure);
                    notAssigned(eni, batch, failure);
                });
    }

    private void assigned(Eni eni, List<Ticket> batch, AssignedAddresses answer) {
        eni.callEnded();
        eni.assigning.clear();
        Set<String> fresh = new LinkedHashSet<>(answer.ips());
        fresh.removeAll(eni.addresses().keySet());
        fresh.forEach(eni::add);
        fresh.forEach(ip -> eni.changed(ip, fleet.nanos()));
        fleet.vswitches.granted(eni.vswitch(), fresh.size());
        fleet.publish(
                fresh.size() < batch.size() ? Severity.WARNING : Severity.INFO,
                "AddressesAssigned",
                eni.id(),
                fresh.size() + " of " + batch.size() + " addresses assigned on ENI " + eni.id(),
                Map.of("requestId", answer.requestId(), "addresses", String.join(",", fresh)));
        share(eni, batch, fresh, EniLifecycle.triedEnough(eni.id()));
    }

    /** Hands new addresses to the wishes of a batch; who gets none goes to the head of the backlog, or fails at last. */
    private void share(Eni eni, List<Ticket> batch, Set<String> fresh, Failed atLast) {
        List<String> left = new ArrayList<>(fresh);
        List<Ticket> shortOf = new ArrayList<>();
        for (Ticket ticket : batch) {
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
            // Its wish has expired. Whoever waits is served by it; if nobody does, it goes back.
            Ticket other = eni.backlog.isEmpty() ? fleet.waiting.pollFirst() : eni.backlog.removeFirst();
            if (other != null) {
                lend(eni, ip, eni.addresses().get(ip), other);
            } else {
                leave(eni, new Disposal(resources.id(eni, ip), ip));
            }
        }
    }

    private void retry(Eni eni, List<Ticket> tickets, Failed atLast) {
        for (int i = tickets.size() - 1; i >= 0; i--) {
            Ticket ticket = tickets.get(i);
            ticket.nextRound();
            if (ticket.round() >= Ticket.ROUNDS) {
                fleet.answer(ticket, atLast);
            } else if (!ticket.answered()) {
                eni.backlog.addFirst(ticket);
            }
        }
    }

    /** An answer that was lost leaves the operation open until the ENI has been read. */
    private static void keepIfLost(Eni eni, CloudJournal.Entry operation, EcsFailure failure) {
        if (failure.outcomeUnknown()) {
            eni.openOperations.add(operation);
        }
    }

    private void notAssigned(Eni eni, List<Ticket> batch, EcsFailure failure) {
        Failed failed = new Failed(failure.kind(), failure.getMessage(), failure.retryAfter());
        if (failure.outcomeUnknown()) {
            // The cloud may have done it: what is on the ENI now and not in the book is the answer.
            reading.again(eni, fresh -> {
                batch.forEach(AddressWork::exhaust);
                share(eni, batch, fresh, failed);
            });
            return;
        }
        switch (failure.reaction()) {
            case NEXT_VSWITCH -> {
                settled(eni);
                batch.forEach(Ticket::nextRound);
                putBack(eni, batch);
                if (fleet.vswitches.refused(eni.vswitch(), batch.size())) {
                    EniLifecycle.tellEmpty(fleet, eni, failure);
                    fleet.requeue(eni);
                }
            }
            case RESYNC_ENI, WAIT_FOR_STATE -> reading.again(eni, fresh -> share(eni, batch, fresh, failed));
            case GONE -> {
                settled(eni);
                putBack(eni, batch);
                batch.forEach(Ticket::nextRound);
                lost(eni);
            }
            default -> {
                settled(eni);
                batch.forEach(ticket -> fleet.answer(ticket, failed));
            }
        }
    }

    /** The next round is the last one: a cloud that does not answer is left to the engine's back-off. */
    private static void exhaust(Ticket ticket) {
        while (ticket.round() < Ticket.ROUNDS) {
            ticket.nextRound();
        }
    }

    private void settled(Eni eni) {
        eni.callEnded();
        eni.assigning.clear();
    }

    private static void putBack(Eni eni, List<Ticket> batch) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            if (!batch.get(i).answered()) {
                eni.backlog.addFirst(batch.get(i));
            }
        }
    }

    // ---- Unassign

    /** Puts an address on its way off the ENI. */
    void leave(Eni eni, Disposal disposal) {
        eni.addresses().get(disposal.ip()).become(Holder.LEAVING);
        eni.disposals.add(disposal);
        eni.version++;
    }

    private void unassign(Eni eni) {
        eni.unassigning.clear();
        while (!eni.disposals.isEmpty() && eni.unassigning.size() < BATCH) {
            eni.unassigning.add(eni.disposals.removeFirst());
        }
        List<Disposal> batch = List.copyOf(eni.unassigning);
        List<String> ips = batch.stream().map(Disposal::ip).toList();
        String id = eni.id();
        // What was lost on this ENI and could not be looked at is asked again by this; it must not outlive it.
        fleet.over(eni);
        eni.assignedLast = false;
        eni.callBegins();
        List<String> leaving =
                batch.stream().map(disposal -> disposal.id().value()).toList();
        CloudJournal.Entry operation = fleet.cloud.operation(new CloudOperation.Unassign(id, ips));
        fleet.cloud.call(
                operation,
                api -> api.serving(leaving).unassignPrivateIpAddresses(id, ips),
                answer -> {
                    eni.callEnded();
                    eni.unassigning.clear();
                    batch.forEach(disposal -> gone(eni, disposal));
                },
                failure -> {
                    keepIfLost(eni, operation, failure);
                    notUnassigned(eni, batch, failure);
                });
    }

    private void gone(Eni eni, Disposal disposal) {
        eni.remove(disposal.ip());
        eni.changed(disposal.ip(), fleet.nanos());
        eni.version++;
        fleet.vswitches.freed(eni.vswitch());
        fleet.answer(disposal, new Disposed(disposal.id()));
    }

    private void notUnassigned(Eni eni, List<Disposal> batch, EcsFailure failure) {
        if (failure.reaction() == Reaction.GONE) {
            eni.callEnded();
            lost(eni);
            return;
        }
        boolean look = failure.outcomeUnknown() || failure.reaction() == Reaction.ALREADY_DONE;
        if (look) {
            reading.again(eni, fresh -> judge(eni, batch, failure));
        } else {
            eni.callEnded();
            judge(eni, batch, failure);
        }
    }

    /** After a failed Unassign: what is off the ENI is gone; the rest is asked again, or fails and stays the engine's. */
    private void judge(Eni eni, List<Disposal> batch, EcsFailure failure) {
        eni.unassigning.clear();
        Failed failed = new Failed(failure.kind(), failure.getMessage(), failure.retryAfter());
        for (Disposal disposal : batch) {
            EniAddress address = eni.addresses().get(disposal.ip());
            if (address == null) {
                gone(eni, disposal);
            } else if (failure.reaction() == Reaction.ALREADY_DONE && disposal.nextRound() < Ticket.ROUNDS) {
                eni.disposals.addFirst(disposal);
            } else {
                stay(eni, disposal, failed);
                // An ENI with an address that stays cannot go.
                eni.retirement.ifPresent(primary -> stay(eni, primary, failed));
                eni.retirement = Optional.empty();
            }
        }
    }

    private void stay(Eni eni, Disposal disposal, Failed why) {
        EniAddress address = eni.addresses().get(disposal.ip());
        address.become(Holder.ENGINE);
        address.markDelivered();
        eni.version++;
        fleet.answer(disposal, why);
    }

    private void lost(Eni eni) {
        fleet.lose(eni, "the cloud has it no more: somebody else deleted it");
    }
}
