package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides, at the end of every turn: which ENI serves which request, how many new ENIs the rest needs, which requests
 * cannot be served at all, and which ENI's worker has something to do. It calls no other module; it starts work on
 * {@link AddressBatcher} and {@link EniLifecycle}. Runs under the fleet's lock.
 */
final class RequestPlacement {
    /** ENI operations at one time, as terway has it. */
    static final int OPERATIONS = 3;

    private static final Duration SOON = Duration.ofSeconds(1);

    private final EniRegistry fleet;
    private final AddressBatcher work;
    private final EniLifecycle lifecycle;
    private boolean counting;

    RequestPlacement(EniRegistry fleet, AddressBatcher work, EniLifecycle lifecycle) {
        this.fleet = fleet;
        this.work = work;
        this.lifecycle = lifecycle;
    }

    void settle() {
        if (fleet.closed) {
            if (fleet.isDraining()) {
                letGo();
                sendOff();
            }
            return;
        }
        bind();
        createWhatIsMissing();
        createForTheMinimum();
        bind();
        letGoWhatIsOfNoUse();
        failWhoCannotBeServed();
        List.copyOf(fleet.enis()).stream()
                .filter(eni -> eni.is(EniState.IN_USE) && !eni.busy)
                .forEach(work::startNextCall);
        sendOff();
    }

    /** Binds waiting requests to ENIs with free slots, attached ones first, up to the bound of each backlog. */
    private void bind() {
        while (!fleet.waiting.isEmpty()) {
            Optional<Eni> target = fleet.enis().stream()
                    .filter(eni -> eni.backlog.size() < Eni.BACKLOG && fleet.capacityLeft(eni) > 0)
                    .min(Comparator.comparing(eni -> !eni.is(EniState.IN_USE)));
            if (target.isEmpty()) {
                return;
            }
            target.get().backlog.add(fleet.waiting.removeFirst());
        }
    }

    private void createWhatIsMissing() {
        while (fleet.waiting.size() > roomOnEnis() && canCreate()) {
            Eni eni = lifecycle.plan(fleet.vswitches.next().orElseThrow());
            bind();
            lifecycle.create(eni);
        }
    }

    /** ENIs without a request, and only when all requests are served. */
    private void createForTheMinimum() {
        while (fleet.waiting.isEmpty() && fleet.minimum.wantsOne() && canCreate()) {
            Eni eni = lifecycle.plan(fleet.vswitches.next().orElseThrow());
            eni.kept = true;
            lifecycle.create(eni);
        }
    }

    private boolean canCreate() {
        return fleet.operations() < OPERATIONS
                && fleet.inhibition().isZero()
                && fleet.vswitches.hasUsable()
                && fleet.slots.free() > 0
                && countsReady()
                && fleet.slots.take(fleet.settings.use());
    }

    private int roomOnEnis() {
        return fleet.enis().stream().mapToInt(fleet::capacityLeft).sum();
    }

    /** Requests beyond all that could be made fail at once: waiting would not help them. */
    private void failWhoCannotBeServed() {
        if (fleet.waiting.isEmpty()) {
            return;
        }
        int limit = fleet.settings.perEni();
        boolean addresses = fleet.vswitches.hasUsable();
        Duration inhibition = fleet.inhibition();
        int leaving = fleet.leavingEnis() + fleet.slots.leavingForOthers(fleet.settings.use());
        int slots = addresses && inhibition.isZero() ? fleet.slots.free() + leaving : 0;
        int addressesLeaving = fleet.enis().stream()
                .filter(eni -> eni.serves() && fleet.vswitches.batch(eni.vswitch()) > 0)
                .mapToInt(eni -> eni.count(Holder.LEAVING))
                .sum();
        int possible = roomOnEnis() + slots * limit + addressesLeaving;
        while (fleet.waiting.size() > possible) {
            fleet.complete(fleet.waiting.removeLast(), refusal(addresses, inhibition));
        }
    }

    private Failed refusal(boolean addresses, Duration inhibition) {
        List<String> vswitches = fleet.vswitches.preferred();
        if (vswitches.isEmpty()) {
            String why = "none of the configured vSwitches can be used: " + fleet.vswitches.disabled()
                    + " are gone or in another zone; correct 'vswitches' and restart";
            return new Failed(ErrorKind.MISCONFIGURED, why, Duration.ofMinutes(1));
        }
        if (!addresses) {
            String why = "vSwitches " + vswitches + " have no free address; add a vSwitch or free addresses";
            Duration retry = Collections.min(List.of(fleet.vswitches.untilRetry(), Duration.ofMinutes(1)));
            return new Failed(ErrorKind.ADDRESSES_EXHAUSTED, why, retry);
        }
        if (!inhibition.isZero()) {
            String why = "the instance has all the ENIs the cloud allows it; no new one is tried for "
                    + inhibition.plusSeconds(1).toSeconds() + " s";
            return new Failed(ErrorKind.QUOTA_EXHAUSTED, why, inhibition);
        }
        return new Failed(ErrorKind.QUOTA_EXHAUSTED, full(), SOON);
    }

    /** Who has the slots; those that stuck ENIs hold are named, else they look like slots in use. */
    private String full() {
        int others = fleet.slots.heldByOthers(fleet.settings.use());
        int foreign = fleet.slots.foreign();
        List<String> stuck = fleet.enis().stream()
                .filter(eni -> eni.is(EniState.STUCK))
                .map(Eni::id)
                .toList();
        return "all " + fleet.slots.bound() + " ENIs"
                + (fleet.settings.use() == EniUse.WHOLE ? "" : " with " + fleet.settings.perEni() + " addresses each")
                + " are in use"
                + (others == 0 ? "" : ", " + others + " of them by another factory")
                + (foreign == 0 ? "" : "; " + foreign + " more of this instance's ENIs do not belong to this node")
                + (stuck.isEmpty() ? "" : ", or held by ENIs that are stuck on their way: " + String.join(", ", stuck));
    }

    /**
     * Sends attached ENIs away that can lend nothing, because they are short of the addresses of one family, and of
     * which no address is lent: no list shows them, so the engine would not send them away.
     */
    private void letGoWhatIsOfNoUse() {
        if (!fleet.settings.dual()) {
            return;
        }
        List.copyOf(fleet.enis()).stream()
                .filter(eni -> eni.is(EniState.IN_USE) && eni.understood && eni.isIdle() && !fleet.isWanted(eni))
                .limit(Math.max(0, OPERATIONS - fleet.operations()))
                .forEach(eni -> {
                    if (fleet.canServe(eni) && fleet.minimum.mustKeep(eni)) {
                        fleet.minimum.keep(eni);
                    } else {
                        fleet.requeue(eni);
                        lifecycle.retire(eni);
                    }
                });
    }

    /** Sends attached ENIs away of which no address is lent. */
    private void letGo() {
        List.copyOf(fleet.enis()).stream()
                .filter(eni -> eni.is(EniState.IN_USE) && !eni.busy && eni.count(Holder.ENGINE) == 0)
                .limit(Math.max(0, OPERATIONS - fleet.operations()))
                .forEach(lifecycle::retire);
    }

    /** Sends retired ENIs away, and follows those a crash has left on their way, as operations become free. */
    private void sendOff() {
        for (Eni eni : List.copyOf(fleet.enis())) {
            if (fleet.operations() >= OPERATIONS) {
                return;
            }
            boolean kept = eni.is(EniState.LOST) && eni.isLent();
            if (eni.is(EniState.IN_USE)) {
                if (eni.retirement.isPresent() && !eni.busy && eni.addresses().size() == 1) {
                    lifecycle.retire(eni);
                }
            } else if (!eni.is(EniState.CREATING) && !eni.operation.underWay && !kept) {
                lifecycle.follow(eni);
            }
        }
    }

    private record CountResult(List<VSwitch> found, Map<String, EcsException> missing) {}

    /**
     * Keeps the counts of free addresses that {@link VSwitchPolicy#MOST} chooses by young enough. While the cloud is
     * asked, the requests that need a new ENI wait in the queue; if it does not answer, the former counts serve on.
     *
     * @return whether a vSwitch can be chosen now; if not, it can once the answer is there, which settles the placement
     *     again
     */
    private boolean countsReady() {
        if (counting || !fleet.vswitches.countsDue()) {
            return !counting;
        }
        counting = true;
        List<String> ids = fleet.vswitches.preferred();
        fleet.cloud.call(
                api -> count(api, ids),
                answer -> {
                    counting = false;
                    fleet.vswitches.counted(answer.found);
                    answer.missing.forEach(fleet::disableVSwitch);
                },
                failure -> {
                    counting = false;
                    fleet.vswitches.counted(List.of());
                });
        return false;
    }

    private static CountResult count(EcsApi api, List<String> ids) {
        CountResult answer = new CountResult(new ArrayList<>(), new LinkedHashMap<>());
        for (String id : ids) {
            try {
                answer.found.add(api.describeVSwitch(id));
            } catch (EcsException e) {
                if (!VSwitches.unusable(e)) {
                    throw e;
                }
                answer.missing.put(id, e);
            }
        }
        return answer;
    }
}
