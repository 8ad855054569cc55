package io.enipam.diagnostics.explain;

import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.CloudJournal;
import io.enipam.sdk.PodRef;
import io.enipam.sdk.Resource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One thing, explained.
 *
 * @param kind ADDRESS, POD, ENI or CONTAINER
 * @param condition why it is as it is and what comes next
 * @param operations cloud operations on it that are not known to be over
 * @param calls the last calls of the cloud about it, the latest first
 * @param events what happened to it lately, the latest last
 */
public record Explanation(
        String kind,
        String name,
        Condition condition,
        List<SourceSummary> says,
        List<Difference> differences,
        List<CloudJournal.Entry> operations,
        List<CloudCall> calls,
        List<Event> events) {
    /**
     * @param why the whole of it in the first sentence, then what else matters
     * @param next what happens next, the soonest first
     */
    public record Condition(
            String state,
            Optional<Instant> since,
            Optional<Instant> until,
            List<String> why,
            List<NextStep> next,
            Holder holder,
            Location location) {
        /** The same, with what else matters. */
        Condition with(List<String> more) {
            List<String> all = Stream.concat(why.stream(), more.stream()).toList();
            return new Condition(state, since, until, all, next, holder, location);
        }
    }

    /** The pod and the sandbox that have it, or that it is kept for. */
    public record Holder(Optional<PodRef> pod, Optional<OwnerKey> owner) {}

    /**
     * The resource and the ENI of something.
     *
     * @param eni the ENI that it is on, or is; or empty text
     */
    public record Location(Optional<Resource> resource, String eni, int addressLimit, List<HeldAddress> addresses) {}

    /** @param at empty if it depends on something else than time */
    public record NextStep(Optional<Instant> at, String what) {}

    /** @param state the pool's, or empty text */
    public record HeldAddress(String address, boolean primary, String state, Optional<PodRef> pod) {}

    /** @param words nothing if it knows nothing of it */
    public record SourceSummary(
            SourceReply<?> reply, Duration age, List<String> words, Optional<Instant> since, boolean differs) {}
}
