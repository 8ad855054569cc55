package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsApi.VSwitch;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.ErrorKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * Operations that were begun and whose outcome is not known: those an earlier run left open, and creates of this run
 * whose answer was lost. Each is brought to a state that the cloud's descriptions show, and its ENI, if it has one on
 * the move, goes into the registry. All methods run inside a turn of the fleet, but for those that ask.
 *
 * <p>A call of the former run may still be on its way when this one looks. That decides what is finished and what is
 * undone:
 *
 * <ul>
 *   <li><b>Create</b> is called once more with the same token: whichever of the two calls comes first, there is one
 *       ENI, and its id is known. No request waits for it, so it is deleted, unless it got to the instance already.
 *       Should the cloud have forgotten the token, the call makes another ENI, which goes again, and the list finds the
 *       first by its tags.
 *   <li><b>Attach</b> is finished: the ENI holds a slot either way, and is of use at once.
 *   <li><b>Assign</b> needs nothing: the list that follows hands every address on the ENI to the engine as an idle one,
 *       and the pool gives back what is above its watermark.
 *   <li><b>Unassign, Detach, Delete</b> are finished, never undone: an address kept because it is still there would be
 *       lent, and then be taken off by the late call. The engine gave them up before they were begun.
 * </ul>
 */
final class PendingOperationRecovery {
    /** After a lost answer, or a look that may lag; each further try waits twice as long. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(5);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    /** How often one Unassign is looked at and asked again while addresses leave the ENI by themselves. */
    private static final int ROUNDS = 3;

    /**
     * @param seen the ENI it was about; empty if there is none, or nothing is to be done about it
     * @param vswitch where that ENI lives, if the registry did not know
     * @param later whether asking gave no answer that can be relied on, and it is to be asked again
     */
    private record Finding(
            CloudJournal.Entry operation, Optional<NetworkInterface> seen, Optional<VSwitch> vswitch, boolean later) {
        static Finding over(CloudJournal.Entry operation) {
            return new Finding(operation, Optional.empty(), Optional.empty(), false);
        }

        static Finding later(CloudJournal.Entry operation) {
            return new Finding(operation, Optional.empty(), Optional.empty(), true);
        }
    }

    /** @param lent IPv4 addresses that pods have */
    private record EarlierOperations(List<Finding> findings, Set<String> lent) {}

    private record Waiter(Runnable then, Consumer<EcsException> failed) {}

    private final EniRegistry fleet;
    private final EniLifecycle lifecycle;
    private final List<Waiter> waiters = new ArrayList<>();
    private Set<String> lent = Set.of();
    private boolean settled;

    PendingOperationRecovery(EniRegistry fleet, EniLifecycle lifecycle) {
        this.fleet = fleet;
        this.lifecycle = lifecycle;
    }

    /**
     * Settles what earlier runs left open, once.
     *
     * @param then goes on, in a turn, when all of it is settled; at once if it was settled before
     * @param failed called, in a turn, if the cloud could not be asked; then nothing is settled, and it may be tried
     *     again
     */
    void recover(Runnable then, Consumer<EcsException> failed) {
        if (settled) {
            then.run();
            return;
        }
        waiters.add(new Waiter(then, failed));
        if (waiters.size() > 1) {
            return;
        }
        fleet.cloud.call(
                cloud -> {
                    List<Finding> findings = new ArrayList<>();
                    fleet.cloud.open().forEach(operation -> findings.add(find(cloud, operation, false)));
                    return new EarlierOperations(
                            findings, findings.isEmpty() ? Set.of() : EniRefresher.lent(fleet.known.read()));
                },
                earlier -> {
                    settled = true;
                    lent = earlier.lent();
                    take(earlier.findings());
                    waiting().forEach(waiter -> waiter.then().run());
                },
                failure -> waiting().forEach(waiter -> waiter.failed().accept(failure)));
    }

    private List<Waiter> waiting() {
        List<Waiter> all = List.copyOf(waiters);
        waiters.clear();
        return all;
    }

    /** Finds out later what became of an operation, such as a create whose answer was lost. */
    void scheduleLookup(CloudJournal.Entry operation) {
        searchAfter(FIRST_PAUSE, operation);
    }

    private void searchAfter(Duration pause, CloudJournal.Entry operation) {
        Duration twice = pause.multipliedBy(2);
        Duration next = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        fleet.schedule(
                pause,
                () -> fleet.cloud.call(
                        cloud -> find(cloud, operation, true),
                        finding -> {
                            if (finding.later()) {
                                searchAfter(next, operation);
                            } else {
                                take(List.of(finding));
                            }
                        },
                        failure -> searchAfter(next, operation)));
    }

    // ---- asking: on the factory's threads, outside of any turn

    /** @param again whether it was looked at before: a single look that shows nothing may only lag behind a create */
    private Finding find(EcsApi cloud, CloudJournal.Entry entry, boolean again) {
        CloudOperation operation = entry.operation();
        if (operation instanceof CloudOperation.Create create) {
            return made(cloud, entry, create);
        } else if (operation instanceof CloudOperation.Assign) {
            return Finding.over(entry);
        } else if (operation instanceof CloudOperation.Unassign unassign) {
            takeOff(cloud, unassign);
            return Finding.over(entry);
        }
        List<NetworkInterface> found = cloud.describeNetworkInterface(operation.subject());
        return found.isEmpty() && !again ? Finding.later(entry) : seen(cloud, entry, found);
    }

    private Finding made(EcsApi cloud, CloudJournal.Entry entry, CloudOperation.Create create) {
        NetworkInterface made;
        try {
            made = cloud.createNetworkInterface(EniLifecycle.createRequest(create));
        } catch (EcsException e) {
            return decided(e) ? Finding.over(entry) : Finding.later(entry);
        }
        // the answer is that of the first call, whatever has become of the ENI since; a look may be older than it
        List<NetworkInterface> now = cloud.describeNetworkInterface(made.id());
        return seen(cloud, entry, now.isEmpty() ? List.of(made) : now);
    }

    private Finding seen(EcsApi cloud, CloudJournal.Entry entry, List<NetworkInterface> found) {
        Optional<NetworkInterface> eni = found.stream().findFirst();
        Optional<VSwitch> unknown = eni.map(NetworkInterface::vswitchId)
                .filter(vswitch -> !fleet.read(() -> fleet.vswitches.knows(vswitch)))
                .map(cloud::describeVSwitch);
        return new Finding(entry, eni, unknown, false);
    }

    private static void takeOff(EcsApi cloud, CloudOperation.Unassign unassign) {
        for (int round = 0; round < ROUNDS; round++) {
            List<NetworkInterface> found = cloud.describeNetworkInterface(unassign.eni());
            List<String> left =
                    remaining(unassign, found, (eni, ip) -> eni.ips().contains(ip) && !ip.equals(eni.primaryIp()));
            List<String> leftIpv6 =
                    remaining(unassign, found, (eni, ip) -> eni.ipv6s().contains(ip));
            if (left.isEmpty() && leftIpv6.isEmpty()) {
                return;
            }
            try {
                AddressBatcher.callUnassign(cloud, unassign.eni(), left, leftIpv6);
                return;
            } catch (EcsException e) {
                if (!decided(e)) {
                    throw e;
                }
                if (e.reaction() != ErrorReaction.ALREADY_DONE) {
                    // The cloud will not do it: the addresses stay, and the list finds them.
                    return;
                }
            }
        }
    }

    private static List<String> remaining(
            CloudOperation.Unassign unassign, List<NetworkInterface> found, BiPredicate<NetworkInterface, String> has) {
        return unassign.ips().stream()
                .filter(ip -> found.stream().anyMatch(eni -> has.test(eni, ip)))
                .toList();
    }

    /** Whether a failure says that the operation was not done, and will not be by asking the same again. */
    private static boolean decided(EcsException failure) {
        boolean unheard = failure.kind() == ErrorKind.UNAUTHORIZED || failure.reaction() == ErrorReaction.BACK_OFF;
        return !failure.outcomeUnknown() && !unheard;
    }

    // ---- taking what was found into the registry

    private void take(List<Finding> findings) {
        Map<String, List<Finding>> byEni = new LinkedHashMap<>();
        for (Finding finding : findings) {
            finding.vswitch().ifPresent(fleet.vswitches::learn);
            if (finding.later()) {
                scheduleLookup(finding.operation());
            } else if (finding.seen().isPresent()) {
                byEni.computeIfAbsent(finding.seen().get().id(), id -> new ArrayList<>())
                        .add(finding);
            } else {
                tell(finding, "it has left nothing to do");
                fleet.cloud.endOperation(finding.operation());
            }
        }
        byEni.values().forEach(this::takeUp);
    }

    /** Takes up an ENI that one or more operations were about; the last step of its way decides where it goes. */
    private void takeUp(List<Finding> findings) {
        NetworkInterface seen = findings.get(findings.size() - 1).seen().orElseThrow();
        boolean foreign = !seen.instanceId().isEmpty()
                && !seen.instanceId().equals(fleet.settings.spec().instanceId());
        boolean known = fleet.eni(seen.id()).isPresent();
        boolean used = seen.ips().stream().anyMatch(lent::contains);
        if (used && !known && seen.status() != CloudEniStatus.IN_USE && seen.status() != CloudEniStatus.DELETING) {
            // pods live on it: whatever an earlier run had begun, it goes back to the instance
            Eni eni = add(seen, EniState.IN_USE, Goal.ATTACHED);
            EniRefresher.keepLent(eni, lent);
            findings.forEach(finding -> fleet.cloud.endOperation(finding.operation()));
            lifecycle.onDetached(eni, seen, "it is " + seen.status().label());
            return;
        }
        Optional<Goal> goal = foreign || known ? Optional.empty() : goal(findings, seen);
        if (goal.isEmpty()) {
            if (!foreign && !known && seen.status() == CloudEniStatus.IN_USE) {
                EniRefresher.keepLent(add(seen, EniState.IN_USE, Goal.ATTACHED), lent);
            }
            findings.forEach(finding -> {
                tell(finding, "ENI " + seen.id() + " is where it shall be");
                fleet.cloud.endOperation(finding.operation());
            });
            return;
        }
        Eni eni = add(seen, state(goal.get(), seen), goal.get());
        findings.forEach(finding -> {
            eni.openOperations.add(finding.operation());
            tell(finding, "ENI " + seen.id() + (goal.get() == Goal.ABSENT ? " is taken away" : " is attached"));
        });
    }

    private Eni add(NetworkInterface seen, EniState state, Goal goal) {
        Eni eni = fleet.eni(seen.id(), seen.vswitchId(), state, goal);
        eni.identify(seen);
        fleet.add(eni);
        return eni;
    }

    /** Where an ENI goes from here; empty if it stays. */
    private static Optional<Goal> goal(List<Finding> findings, NetworkInterface seen) {
        if (any(findings, CloudOperation.Detach.class) || any(findings, CloudOperation.Delete.class)) {
            return Optional.of(Goal.ABSENT);
        }
        return switch (seen.status()) {
            case IN_USE, OTHER -> Optional.empty();
            case ATTACHING -> Optional.of(Goal.ATTACHED);
            case AVAILABLE -> Optional.of(any(findings, CloudOperation.Attach.class) ? Goal.ATTACHED : Goal.ABSENT);
            case DETACHING, DELETING -> Optional.of(Goal.ABSENT);
        };
    }

    private static boolean any(List<Finding> findings, Class<? extends CloudOperation> kind) {
        return findings.stream()
                .anyMatch(finding -> kind.isInstance(finding.operation().operation()));
    }

    private static EniState state(Goal goal, NetworkInterface seen) {
        if (goal == Goal.ATTACHED || seen.status() == CloudEniStatus.ATTACHING) {
            return EniState.ATTACHING;
        }
        boolean off = seen.status() == CloudEniStatus.AVAILABLE || seen.status() == CloudEniStatus.DELETING;
        return off ? EniState.DELETING : EniState.DETACHING;
    }

    private void tell(Finding finding, String outcome) {
        CloudOperation operation = finding.operation().operation();
        String text = operation.name() + " of " + operation.subject() + ", begun at "
                + finding.operation().since() + " and not known to be over: " + outcome;
        Map<String, String> attributes = Map.of("operation", operation.name());
        fleet.publish(Severity.INFO, "OperationRecovered", operation.subject(), text, attributes);
    }
}
