package io.enipam.aliyun.eni;

import io.enipam.aliyun.api.EcsApi;
import io.enipam.aliyun.api.EcsApi.CloudEniStatus;
import io.enipam.aliyun.api.EcsApi.NetworkInterface;
import io.enipam.aliyun.api.EcsException;
import io.enipam.aliyun.api.ErrorReactions.ErrorReaction;
import io.enipam.aliyun.eni.AddressRequest.AddressDisposal;
import io.enipam.aliyun.eni.EniAddress.Holder;
import io.enipam.aliyun.eni.EniOperation.Goal;
import io.enipam.aliyun.eni.EniOperation.Step;
import io.enipam.aliyun.eni.FactorySettings.LostEniPolicy;
import io.enipam.engine.model.Event.Severity;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.sdk.Failed;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Takes ENIs from nothing to the instance, and from the instance to nothing. {@link EniOperation#next} says what is
 * next; this asks the cloud, looks, and keeps the registry. All methods run inside a turn of the fleet.
 */
final class EniLifecycle {
    private static final Duration INHIBITION = Duration.ofMinutes(1);
    /** The answer to a call about an ENI that is gone. A description may lag behind; this does not. */
    private static final String NO_SUCH_ENI = "InvalidEniId.NotFound";

    private final EniRegistry fleet;
    /** Runs, in the same turn, when a create has failed that may have made an ENI all the same. Set once. */
    Consumer<CloudJournal.Entry> onLostCreate = operation -> {};
    /** Runs, in the same turn, when the instance has more ENIs than the registry says. Set once. */
    Runnable onFullInstance = () -> {};

    EniLifecycle(EniRegistry fleet) {
        this.fleet = fleet;
    }

    /** Puts an ENI into the registry that is to be created, so that requests can be bound to it. */
    Eni plan(String vswitch) {
        String placeholder = "(creating-" + ++fleet.creates + ")";
        Eni eni = fleet.eni(placeholder, vswitch, EniState.CREATING, Goal.ATTACHED);
        eni.operation.begin(fleet.nanos());
        fleet.add(eni);
        return eni;
    }

    /** Asks the cloud for a planned ENI, in the name of the requests bound to it. */
    void create(Eni eni) {
        // an ENI without a request is named by its moment
        String scope = eni.kept ? "keep " + eni.id() + " of " + fleet.now() + " " : "create ";
        String token = AddressRequest.clientToken(scope + eni.vswitch(), List.copyOf(eni.backlog));
        FactorySettings.EniSpec spec = fleet.settings.spec();
        CloudOperation.Create create = new CloudOperation.Create(
                token, eni.vswitch(), spec.securityGroups(), spec.tags(), fleet.settings.dual() ? 1 : 0);
        CloudJournal.Entry operation = fleet.cloud.operation(create);
        eni.openOperations.add(operation);
        List<String> waiting = fleet.waitingFor(eni);
        fleet.cloud.callLasting(
                operation,
                api -> api.onBehalfOf(waiting).createNetworkInterface(createRequest(create)),
                created -> created(eni, created),
                failure -> notCreated(eni, operation, failure));
    }

    /** The call, built from nothing but what is written down: so a later run can make it once more. */
    static EcsApi.CreateInterfaceRequest createRequest(CloudOperation.Create create) {
        return new EcsApi.CreateInterfaceRequest(
                create.vswitch(), create.securityGroups(), create.tags(), create.clientToken(), create.ipv6Count());
    }

    private void created(Eni eni, NetworkInterface made) {
        eni.backlog.forEach(AddressRequest::nextRound);
        fleet.remove(eni);
        if (fleet.eni(made.id()).isPresent()) {
            // The cloud replayed an answer of before a restart. The requests are asked again in a new round.
            fleet.endOperations(eni);
            return;
        }
        boolean waitedFor = !fleet.waiting.isEmpty();
        boolean wanted = waitedFor || fleet.minimum.isShort();
        eni.kept = wanted && !waitedFor;
        eni.operation = new EniOperation(wanted ? Goal.ATTACHED : Goal.ABSENT);
        eni.operation.begin(fleet.nanos());
        eni.identify(made);
        eni.madeAt = OptionalLong.of(fleet.nanos());
        eni.become(wanted ? EniState.ATTACHING : EniState.DELETING, fleet.now());
        fleet.add(eni);
        tell(Severity.INFO, "EniCreated", eni, "made in vSwitch " + eni.vswitch(), made.requestId());
        drive(eni, Optional.of(made));
    }

    private void notCreated(Eni eni, CloudJournal.Entry operation, EcsException failure) {
        eni.backlog.forEach(AddressRequest::nextRound);
        blame(eni, failure);
        fleet.remove(eni);
        tell(Severity.WARNING, "EniFailed", eni, explained(failure), failure.requestId());
        if (failure.outcomeUnknown()) {
            onLostCreate.accept(operation);
        } else {
            fleet.cloud.endOperation(operation);
        }
    }

    /** Sends the requests bound to a failed ENI to another vSwitch, or fails them with the reason. */
    private void blame(Eni eni, EcsException failure) {
        if (VSwitches.unusable(failure)) {
            // the requests go on with the others; if none is left, the placement fails them
            if (VSwitches.lacksIpv6(failure)) {
                fleet.vswitches.withoutIpv6(eni.vswitch());
            }
            fleet.disableVSwitch(eni.vswitch(), failure);
            return;
        }
        Failed failed = new Failed(failure.kind(), explained(failure), failure.retryAfter());
        switch (failure.reaction()) {
            case NEXT_VSWITCH -> {
                fleet.vswitches.refused(eni.vswitch(), 1);
                reportExhausted(fleet, eni, failure);
            }
            case INHIBIT_CREATES -> {
                fleet.inhibitCreates(INHIBITION);
                // another actor may have attached one: the next reading counts them
                onFullInstance.run();
                fleet.failBacklog(eni, failed);
            }
            default -> fleet.failBacklog(eni, failed);
        }
        if (eni.kept) {
            fleet.minimum.failed(failed.retryAfter());
        }
    }

    /** The cloud does not always say which id it means. */
    private String explained(EcsException failure) {
        return failure.code().equals("InvalidSecurityGroupId.NotFound")
                ? failure.getMessage() + "; correct 'security_group' and 'security_groups': the ENI was to have "
                        + String.join(", ", fleet.settings.spec().securityGroups())
                : failure.getMessage();
    }

    static void reportExhausted(EniRegistry fleet, Eni eni, EcsException failure) {
        fleet.publish(
                Severity.WARNING,
                "VSwitchEmpty",
                eni.vswitch(),
                "vSwitch " + eni.vswitch() + " has no free address; it is left alone for 10 min",
                failure.attributes());
    }

    /** Sends an attached ENI away. */
    void retire(Eni eni) {
        eni.operation = new EniOperation(Goal.ABSENT).markShown();
        eni.operation.begin(fleet.nanos());
        ask(eni, Step.DETACH);
    }

    /**
     * Takes note that another actor has taken an ENI off the instance. One that the engine has addresses of is attached
     * again, as the settings say, and never deleted before those are given back: its pods may work again, and
     * its addresses are no other ENI's as long as the cloud has it. Any other goes.
     *
     * @param what has become of it, as the cloud says
     */
    void onDetached(Eni eni, NetworkInterface cloud, String what) {
        // after a detach of this node, the primary address alone is no pod's; other addresses came later, for pods
        if (!eni.isLent() || (eni.detachInDoubt && eni.count(Holder.ENGINE) == 1)) {
            fleet.removeLost(eni, what + "; no pod has an address of it");
            return;
        }
        boolean again = fleet.lostEni == LostEniPolicy.REATTACH;
        fleet.releasePendingWork(eni);
        fleet.endOperations(eni);
        Stream.concat(eni.addresses().values().stream(), eni.ipv6s().values().stream())
                .filter(address -> address.is(Holder.LEAVING))
                .forEach(address -> address.become(Holder.SPARE));
        boolean insisted = eni.isDetachedAgain(fleet.nanos());
        eni.tries = insisted ? eni.tries : 0;
        eni.kept = false;
        eni.operation = new EniOperation(Goal.REATTACHED).markShown();
        eni.become(EniState.LOST, fleet.now());
        String next = again
                ? "enipam attaches it again"
                : "by 'cloud.lost_eni: release' it stays off, and is deleted when they are given back";
        String held = eni.count(Holder.ENGINE) + " addresses of it are in the pool: ";
        tell(Severity.ERROR, "EniLost", eni, what + ", and " + held + next, cloud.requestId());
        if (again) {
            eni.operation.underWay = true;
            eni.operation.restart(fleet.nanos());
            if (insisted) {
                triedInVain(eni, "another actor takes it off each time");
            } else {
                drive(eni, Optional.of(cloud));
            }
        }
    }

    /** Takes up an ENI that is on its way already: where it stands is looked up first. */
    void follow(Eni eni) {
        if (eni.is(EniState.LOST)) {
            leaveOff(eni);
        }
        eni.operation.begin(fleet.nanos());
        boolean made = eni.openOperations.stream().anyMatch(open -> open.operation() instanceof CloudOperation.Create);
        lookOrDelete(eni, eni.is(EniState.DELETING) && made);
    }

    /** Begins with a look; but one may lag behind the create and take a fresh ENI for gone, and a delete does not. */
    private void lookOrDelete(Eni eni, boolean fresh) {
        if (fresh) {
            ask(eni, Step.DELETE);
        } else {
            look(eni);
        }
    }

    /** The engine has no address of a lost ENI any more: it goes. */
    private void leaveOff(Eni eni) {
        eni.operation = new EniOperation(Goal.ABSENT).markShown();
        eni.operation.begin(fleet.nanos());
        eni.become(EniState.DELETING, fleet.now());
    }

    private void drive(Eni eni, Optional<NetworkInterface> seen) {
        if (fleet.eni(eni.id()).filter(eni::equals).isEmpty()) {
            return;
        }
        if (eni.is(EniState.LOST) && !eni.isLent()) {
            leaveOff(eni);
        }
        Optional<String> elsewhere = seen.map(NetworkInterface::instanceId)
                .filter(instance -> !instance.isEmpty()
                        && !instance.equals(fleet.settings.spec().instanceId()));
        if (elsewhere.isPresent()) {
            if (eni.is(EniState.LOST)) {
                triedInVain(eni, "it is attached to " + elsewhere.get());
            } else {
                fleet.removeLost(eni, "another actor has attached it to " + elsewhere.get());
            }
            return;
        }
        Optional<CloudEniStatus> status = seen.map(NetworkInterface::status);
        Step step = EniOperation.next(eni.operation.goal(), status, eni.operation.progress(fleet.nanos(), fleet.lag));
        eni.operation.observe(status);
        switch (step) {
            case ATTACH, DETACH, DELETE -> ask(eni, step);
            case WAIT -> lookLater(eni);
            case ARRIVED -> onArrived(eni, seen);
            case FAILED -> {
                String why = "the cloud accepted the call, but the ENI did not get to InUse";
                if (eni.is(EniState.LOST)) {
                    triedInVain(eni, why);
                } else {
                    abandon(eni, new EcsException("AttachNetworkInterface", "AttachFailed", 500, "", why));
                }
            }
        }
    }

    /** A try to attach a lost ENI again failed: the next comes after a longer pause, or it is kept as it is. */
    private void triedInVain(Eni eni, String why) {
        eni.tries++;
        eni.operation.redirect(Goal.REATTACHED, fleet.nanos());
        if (eni.tries < PollSchedule.REATTACHES) {
            fleet.schedule(PollSchedule.beforeReattach(eni.tries), () -> look(eni));
            return;
        }
        eni.operation.complete();
        fleet.endOperations(eni);
        String message = "could not be attached again in " + PollSchedule.REATTACHES + " tries: " + why
                + "; enipam keeps it, and its addresses, until the pods that have them are gone: delete those pods";
        tell(Severity.ERROR, "EniFailed", eni, message, "");
    }

    private void ask(Eni eni, Step step) {
        boolean lost = eni.is(EniState.LOST);
        boolean freed = eni.is(EniState.STUCK) && eni.operation.isNewStep(step);
        if (freed) {
            // What was stuck has moved: the rest of its way has its own time.
            eni.operation.restart(fleet.nanos());
        }
        eni.operation.recordRequest(step, fleet.nanos());
        if (freed || !(lost || eni.is(EniState.STUCK))) {
            eni.become(
                    switch (step) {
                        case ATTACH -> EniState.ATTACHING;
                        case DETACH -> EniState.DETACHING;
                        default -> EniState.DELETING;
                    },
                    fleet.now());
        }
        String instance = fleet.settings.spec().instanceId();
        String id = eni.id();
        CloudJournal.Entry operation = fleet.cloud.operation(
                switch (step) {
                    case ATTACH -> new CloudOperation.Attach(id, instance);
                    case DETACH -> new CloudOperation.Detach(id, instance);
                    default -> new CloudOperation.Delete(id);
                });
        eni.openOperations.add(operation);
        List<String> waiting = fleet.waitingFor(eni);
        fleet.cloud.callLasting(
                operation,
                api -> switch (step) {
                    case ATTACH -> api.onBehalfOf(waiting).attachNetworkInterface(id, instance);
                    case DETACH -> api.onBehalfOf(waiting).detachNetworkInterface(id, instance);
                    default -> api.onBehalfOf(waiting).deleteNetworkInterface(id);
                },
                answer -> {
                    supersede(eni, operation);
                    lookLater(eni);
                },
                failure -> {
                    if (!JournaledCalls.isNotWritten(failure)) {
                        supersede(eni, operation);
                    }
                    refused(eni, step, failure);
                });
    }

    /** An ENI's way is one: whatever was begun on it earlier is over when the next step of it is written down. */
    private void supersede(Eni eni, CloudJournal.Entry latest) {
        eni.openOperations.stream()
                .filter(operation -> !operation.equals(latest))
                .forEach(fleet.cloud::endOperation);
        eni.openOperations.retainAll(List.of(latest));
    }

    /** A refusal has done nothing; after anything else only a description shows the state. */
    private void refused(Eni eni, Step step, EcsException failure) {
        if (failure.code().equals(NO_SUCH_ENI) && step == Step.DELETE) {
            eni.operation.notFound = true;
            drive(eni, Optional.empty());
            return;
        }
        if (failure.code().equals(NO_SUCH_ENI) && eni.is(EniState.LOST)) {
            fleet.removeLost(eni, "the cloud answers that it does not exist any more");
            return;
        }
        if (failure.outcomeUnknown() || failure.reaction() == ErrorReaction.GONE) {
            eni.operation.doubtful = true;
            lookLater(eni);
            return;
        }
        boolean later = failure.reaction() == ErrorReaction.WAIT_FOR_STATE
                || failure.reaction() == ErrorReaction.BACK_OFF
                || JournaledCalls.isNotWritten(failure);
        if (later) {
            eni.operation.refused();
            lookLater(eni);
        } else if (eni.is(EniState.LOST)) {
            triedInVain(eni, failure.getMessage());
        } else if (step == Step.ATTACH) {
            abandon(eni, failure);
        } else {
            tell(Severity.ERROR, "EniFailed", eni, failure.getMessage(), failure.requestId());
            eni.operation.refused();
            stick(eni);
            lookLater(eni);
        }
    }

    /** Gives up on attaching: an ENI that cannot be used is deleted, lest it leak. */
    private void abandon(Eni eni, EcsException failure) {
        boolean fresh = eni.operation.startedRecently(fleet.nanos(), fleet.lag);
        tell(Severity.WARNING, "EniFailed", eni, failure.getMessage() + "; it is to be deleted", failure.requestId());
        blame(eni, failure);
        fleet.requeue(eni);
        eni.operation.redirect(Goal.ABSENT, fleet.nanos());
        eni.operation.counted = true;
        if (!eni.is(EniState.DELETING)) {
            eni.become(EniState.DELETING, fleet.now());
        }
        lookOrDelete(eni, fresh);
    }

    private void lookLater(Eni eni) {
        boolean late = eni.operation.stuck(fleet.nanos(), fleet.lag);
        if (late && eni.is(EniState.LOST)) {
            triedInVain(eni, "it is on its way for too long");
            return;
        }
        if (late && !eni.is(EniState.STUCK)) {
            tell(Severity.WARNING, "EniStuck", eni, "has been " + eni.state().label() + " for too long", "");
            stick(eni);
        }
        fleet.schedule(PollSchedule.before(eni.operation.nextPollIndex(), eni.is(EniState.STUCK)), () -> look(eni));
    }

    private void stick(Eni eni) {
        fleet.requeue(eni);
        eni.become(EniState.STUCK, fleet.now());
        // It no longer counts among the operations: one stuck ENI must not hold up the others.
        eni.operation.counted = false;
    }

    private void look(Eni eni) {
        String id = eni.id();
        long asked = fleet.nanos();
        List<String> waiting = fleet.waitingFor(eni);
        fleet.cloud.call(
                api -> api.onBehalfOf(waiting).describeNetworkInterface(id),
                seen -> {
                    if (!seen.isEmpty() && !eni.operation.shown) {
                        eni.madeAt.ifPresent(made -> fleet.lag.measured(asked - made, fleet.nanos()));
                        eni.operation.markShown();
                    }
                    drive(eni, seen.stream().findFirst());
                },
                failure -> unseen(eni, failure));
    }

    private void unseen(Eni eni, EcsException failure) {
        if (eni.retirement.isPresent() && eni.is(EniState.DETACHING) && eni.operation.doubtful) {
            takeBack(eni, eni.retirement.get(), failure);
        } else {
            lookLater(eni);
        }
    }

    /**
     * The cloud neither answered a detach nor can be read: the disposal fails, and the caller asks again. If the cloud
     * received the detach after all, the next list finds the ENI off the instance.
     */
    private void takeBack(Eni eni, AddressDisposal disposal, EcsException failure) {
        eni.retirement = Optional.empty();
        eni.detachInDoubt = true;
        eni.operation = new EniOperation(Goal.ATTACHED).markShown();
        eni.become(EniState.IN_USE, fleet.now());
        EniAddress address = eni.addresses().get(disposal.ip());
        address.become(Holder.ENGINE);
        address.markDelivered();
        fleet.complete(disposal, failure.asFailed());
    }

    /** Takes note that an ENI is on the instance, or gone, whether this node brought it there or not. */
    void onArrived(Eni eni, Optional<NetworkInterface> seen) {
        eni.operation.complete();
        fleet.endOperations(eni);
        if (seen.isPresent()) {
            boolean again = eni.is(EniState.LOST);
            if (again) {
                eni.operation = new EniOperation(Goal.ATTACHED).markShown();
                eni.backAt = OptionalLong.of(fleet.nanos());
            }
            eni.identify(seen.get());
            eni.become(EniState.IN_USE, fleet.now());
            String where = "attached to " + fleet.settings.spec().instanceId() + (again ? " again" : "");
            tell(
                    Severity.INFO,
                    again ? "EniReattached" : "EniAttached",
                    eni,
                    where,
                    seen.get().requestId());
        } else {
            fleet.remove(eni);
            fleet.vswitches.freed(eni.vswitch());
            tell(Severity.INFO, "EniDeleted", eni, "the cloud has deleted it; its slot is free", "");
        }
    }

    private void tell(Severity severity, String type, Eni eni, String message, String requestId) {
        Map<String, String> attributes = new HashMap<>(eni.attributes());
        attributes.put("state", eni.state().label());
        attributes.put("requestId", requestId);
        fleet.publish(severity, type, eni.id(), "ENI " + eni.id() + ": " + message, attributes);
    }
}
