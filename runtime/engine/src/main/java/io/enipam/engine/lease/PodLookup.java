package io.enipam.engine.lease;

import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.AddProcedure.CallDeadline;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Pod;
import io.enipam.engine.model.Pod.Metadata;
import io.enipam.engine.model.Pod.PodCopy;
import io.enipam.engine.model.Pod.PodNetworkSpec;
import io.enipam.engine.port.Change;
import io.enipam.engine.port.Span;
import io.enipam.engine.port.Trace;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What an ADD knows of its pod: what the watch has of the very pod that the call names by its UID, else the API
 * server's answer if it comes in time, else the pod store's copy, else the call's own parameters.
 *
 * <p>The watch's copy of that UID ({@link io.enipam.engine.port.PodDirectory#lastKnown}) is used without a request,
 * also while the watch is behind or broken. It cannot be too old for an ADD:
 *
 * <ul>
 *   <li>A UID is of one pod for ever, so a copy under it is never of a former or a later pod of the name. Name,
 *       namespace, node and host network do not change during a pod's life, nor do the resources by which it requests
 *       an ENI.
 *   <li>The watch selects the pods of this node, so its first copy is as the pod was when it was bound to the node.
 *       The annotations of the pod's template are in it: bandwidth, stick time, ENI. One that is changed afterwards may
 *       come before or after the ADD in any case; {@link PodSync} sets the limits that changed.
 *   <li>A pod does not come back from its end. A copy that says that the pod lives may miss the end: the API server's
 *       answer may, too, as the pod may end while the answer travels. The runtime ends that sandbox by a DEL, and the
 *       garbage collector, which asks the API server, a lease without one.
 *   <li>A copy never refuses an ADD. Where it says that the pod has finished, or asks for what this node does not have,
 *       the API server is asked: the mirror of a static pod may begin anew under its UID, and an annotation may go.
 * </ul>
 *
 * <p>The API server is asked, uncached, for a pod that the watch does not have or has under another UID, and where the
 * call names no UID, as older runtimes: then nothing tells a pod from its predecessor of the same name.
 *
 * <p>The UID is the API server's, else the one from the runtime. A copy's UID is not used: the pod may have been made
 * anew since, and the collector would end a lease that names the former pod. All else that a copy says is used, also if
 * the runtime gave another UID: a pod that is made anew under its name is of the same template as a rule, and what
 * differs is corrected when the API server answers ({@link PodSync}).
 */
public record PodLookup(LeaseContext context) {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    /** Of a caller that goes on without an answer. */
    private static final Duration BRIEF = Duration.ofSeconds(1);

    private static final String WATCH = "watch";
    private static final String NOTHING_LEFT = "nothing is left to be done for it";

    /**
     * A pod, and what is to be written of it together with its lease.
     *
     * @param change the copy for the pod store, if the disk does not have it
     * @param presumed the UID of the copy in use, where no source gives the pod's own; or empty text
     */
    record Found(Pod pod, Optional<Change.PutPod> change, String presumed) {}

    /**
     * @return fails with {@code POD_GONE} if the API server says that there is nothing to be done for the pod, and with
     *     {@code TRY_AGAIN} if it says nothing, there is no copy, and calls are not trusted
     */
    CompletableFuture<Found> find(AddCommand command, CallDeadline budget, Trace trace) {
        PodRef ref = command.pod();
        Span span = trace.step("POD");
        Optional<Found> watched = watched(command);
        if (watched.isPresent()) {
            span.with("from", WATCH).done();
            return CompletableFuture.completedFuture(watched.get());
        }
        span.with("asked", context.pods().source());
        CompletableFuture<Found> found = Stages.within(
                        Stages.call(() -> context.pods().find(ref)),
                        budget.atMost(TIMEOUT),
                        context.scheduler(),
                        () -> new IpamException(ErrorCode.DEADLINE_EXCEEDED, "no answer in time", ""))
                .handle((pod, error) -> error == null ? known(command, pod, span) : unanswered(command, error, span));
        return Stages.traced(span, found);
    }

    /**
     * What is known of a pod, by the same sources in the same order, for a caller that goes on without it: the API server
     * has a second to answer, and what it says refuses nothing.
     *
     * @param uid as the runtime tells it, or empty text
     * @return never fails; empty if nothing is known, or of another pod of that name alone
     */
    public CompletableFuture<Optional<Pod>> describe(PodRef ref, String uid, Span parent) {
        Span span = parent.step("POD");
        Optional<Pod> watched = watched(ref, uid);
        if (watched.isPresent()) {
            span.with("from", WATCH).done();
            return CompletableFuture.completedFuture(watched);
        }
        span.with("asked", context.pods().source());
        CompletableFuture<Optional<Pod>> found = Stages.ask(() -> context.pods().find(ref), BRIEF, context.scheduler())
                .handle((pod, error) -> {
                    if (error == null) {
                        pod.ifPresent(context.podStore()::seen);
                        return pod;
                    }
                    span.with("unanswered", String.valueOf(Stages.cause(error).getMessage()));
                    return context.pods()
                            .lastKnown(ref)
                            .or(() -> context.podStore().find(ref).map(PodCopy::pod));
                })
                .thenApply(pod -> pod.filter(known -> !Pod.areDifferent(uid, known.uid())));
        return Stages.traced(span, found);
    }

    private Optional<Pod> watched(PodRef ref, String told) {
        return (told.isEmpty() ? Optional.<Pod>empty() : context.pods().lastKnown(ref))
                .filter(pod -> pod.uid().equals(told) && !pod.finished());
    }

    /** What the watch has of the pod that the call names by its UID, if that is served. */
    private Optional<Found> watched(AddCommand command) {
        return watched(command.pod(), command.podUid())
                .filter(pod -> context.pods().refusal(pod).isEmpty())
                .map(pod -> new Found(pod, context.podStore().seen(pod), ""));
    }

    private Found known(AddCommand command, Optional<Pod> found, Span span) {
        PodRef ref = command.pod();
        span.with("from", context.pods().source());
        if (found.isEmpty()) {
            context.podStore().gone(ref);
        }
        Pod pod = found.filter(alive -> !alive.finished())
                .orElseThrow(() -> new IpamException(
                        ErrorCode.POD_GONE,
                        "pod " + ref + (found.isPresent() ? " has finished" : " does not exist"),
                        NOTHING_LEFT));
        String told = command.podUid();
        if (Pod.areDifferent(told, pod.uid())) {
            throw new IpamException(
                    ErrorCode.POD_GONE,
                    "pod " + ref + " with UID " + told + " does not exist: the "
                            + context.pods().source() + " has another pod of its name, with UID " + pod.uid(),
                    NOTHING_LEFT);
        }
        Optional<Change.PutPod> change = context.podStore().seen(pod);
        return new Found(served(pod.uid().isEmpty() ? withUid(pod, told) : pod), change, "");
    }

    private static Pod withUid(Pod pod, String uid) {
        return new Pod(pod.ref(), uid, pod.finished(), pod.stick(), pod.addresses(), pod.wishes(), pod.metadata());
    }

    private Pod served(Pod pod) {
        context.pods().refusal(pod).ifPresent(why -> {
            throw new IpamException(
                    ErrorCode.INVALID_ARGUMENT,
                    "pod " + pod.ref() + " gets nothing on this node: " + why,
                    "run it on a node that can serve it, or change what it asks for");
        });
        return pod;
    }

    private Found unanswered(AddCommand command, Throwable error, Span span) {
        PodRef ref = command.pod();
        // the last known state is as new as the copy, or newer; after a restart there is only the copy
        Optional<PodCopy> copied = context.podStore().find(ref);
        Optional<Pod> copy = context.pods().lastKnown(ref).or(() -> copied.map(PodCopy::pod));
        String unanswered = " could not be looked up (" + Stages.cause(error).getMessage() + ")";
        if (copy.isEmpty() && !context.pods().allowsUnknownPods()) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "pod " + ref + unanswered + ", and it was never seen before",
                    "see that the " + context.pods().source()
                            + " answers, or let kubernetes.trust_calls be true to go by the call alone");
        }
        String other = copy.isPresent() ? WATCH : "the call itself";
        span.with("from", copied.isPresent() ? "pod store" : other);
        span.with("unanswered", String.valueOf(Stages.cause(error).getMessage()));
        String source = copied.map(seen -> "what was seen of it at " + seen.lastSeen())
                .orElse(copy.isPresent() ? "what was heard of it last" : "the call's own parameters");
        context.events().warning("PodLookupFailed", ref.toString(), "the pod" + unanswered + ": going by " + source);
        copy.ifPresent(this::served);
        Duration stick = copy.map(Pod::stick).orElse(Duration.ZERO);
        PodNetworkSpec wishes = copy.map(Pod::wishes).orElse(PodNetworkSpec.NONE);
        String told = command.podUid();
        String presumed = told.isEmpty() ? copy.map(Pod::uid).orElse("") : "";
        Metadata metadata = copy.map(Pod::metadata).orElse(Metadata.NONE);
        Pod pod = new Pod(ref, told, false, stick, List.of(), wishes, metadata);
        return new Found(pod, Optional.empty(), presumed);
    }
}
