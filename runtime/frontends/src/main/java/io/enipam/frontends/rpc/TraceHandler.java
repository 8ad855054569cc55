package io.enipam.frontends.rpc;

import com.google.common.collect.Lists;
import io.enipam.diagnostics.trace.TraceAssembler;
import io.enipam.diagnostics.trace.TraceQuery;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.events.EventRing;
import io.enipam.frontends.rpc.ServiceContext.Past;
import io.enipam.sdk.ErrorKind;
import io.enipam.store.history.HistorySearch;
import io.enipam.store.history.RecordLog;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The traces of a name, with the events about it; what the rings do not have any more comes from the files. Thread-safe. */
record TraceHandler(TraceRing traces, EventRing events, Past past, TimeSource time) {
    /** So many of a name come from the files, the last of them. */
    private static final int MOST = 2_000;
    /** Of so many that failed it is searched what else was done meanwhile. */
    private static final int FAILED = 20;
    /** An address is made at most so long before it is lent, as far as its trace is searched. */
    private static final Duration SUPPLY = Duration.ofHours(1);
    /** The attribute of the event of a start: how the run before ended. */
    private static final String ENDED = "ended";

    void send(GetTraceRequest request, ServerCallStreamObserver<GetTraceReply> observer) {
        List<GetTraceReply> parts = new ArrayList<>();
        stories(request)
                .forEach(story ->
                        parts.add(GetTraceReply.newBuilder().addStories(story).build()));
        parts.add(GetTraceReply.newBuilder().setMemory(memory()).build());
        // one whole trace may be long: each is a message of its own
        Iterator<List<GetTraceReply>> chunks = Lists.partition(parts, request.getBrief() ? ServiceTable.CHUNK : 1)
                .iterator();
        ServiceTable.pump(observer, () -> chunks.hasNext() ? merged(chunks.next()) : null);
    }

    private static GetTraceReply merged(List<GetTraceReply> parts) {
        GetTraceReply.Builder all = GetTraceReply.newBuilder();
        parts.forEach(all::mergeFrom);
        return all.build();
    }

    private List<TraceStory> stories(GetTraceRequest request) {
        TraceQuery target = new TraceQuery(request.getTarget());
        Instant last = request.hasTo() ? Proto.instant(request.getTo()) : Instant.MAX;
        Instant now = request.hasTo() ? last : time.now();
        Instant oldest = request.hasSince() ? now.minus(Proto.span(request.getSince())) : Instant.EPOCH;
        Predicate<Instant> then = at -> !at.isBefore(oldest) && !at.isAfter(last);
        Predicate<TraceSnapshot> asked = story -> then.test(story.at()) && (!request.getFailed() || story.failed());
        Predicate<Event> asksFor =
                event -> target.is(event) && then.test(event.at()) && (!request.getFailed() || failed(event));
        List<TraceSnapshot> present = traces.all();
        List<TraceStory> told = new ArrayList<>(told(target, present, asked, request.getBrief()));
        List<Event> ring = events.after(0);
        ring.stream().filter(asksFor).map(TraceHandler::story).forEach(told::add);
        int wanted = request.getLimit() > 0 ? request.getLimit() : MOST;
        if (told.size() < wanted) {
            List<TraceSnapshot> former = former(target, present, asked, oldest, last, wanted - told.size());
            told.addAll(told(target, former, asked, request.getBrief()));
            formerEvents(target, asksFor, ring, oldest, wanted - told.size()).forEach(event -> told.add(story(event)));
        }
        List<TraceStory> latest = Proto.last(inOrder(told), request.getLimit());
        return latest.isEmpty() ? latest : withRestarts(latest, ring, last);
    }

    private static List<TraceStory> inOrder(List<TraceStory> stories) {
        return stories.stream()
                .sorted(Comparator.comparing((TraceStory story) -> Proto.instant(story.getBegin())))
                .toList();
    }

    private static List<TraceStory> told(
            TraceQuery target, List<TraceSnapshot> all, Predicate<TraceSnapshot> asked, boolean brief) {
        TraceAssembler assembler = new TraceAssembler(all);
        return withoutTold(target.in(all), assembler).stream()
                .filter(asked)
                .map(story -> story(brief ? story : assembler.whole(story), !brief))
                .toList();
    }

    /** The ends of runs of the daemon behind the first of them. */
    private static List<TraceStory> withRestarts(List<TraceStory> stories, List<Event> ring, Instant last) {
        Instant first = Proto.instant(stories.get(0).getBegin());
        List<TraceStory> marked = new ArrayList<>(stories);
        ring.stream()
                .filter(event -> event.attributes().containsKey(ENDED)
                        && event.at().isAfter(first)
                        && !event.at().isAfter(last))
                .map(TraceHandler::story)
                .forEach(marked::add);
        return inOrder(marked);
    }

    /** What the files have of a name and the ring has not, the oldest first, with what was done for it. */
    private List<TraceSnapshot> former(
            TraceQuery target,
            List<TraceSnapshot> present,
            Predicate<TraceSnapshot> asked,
            Instant oldest,
            Instant last,
            int limit) {
        Map<Object, TraceSnapshot> found = new HashMap<>();
        Set<Object> known = present.stream().map(TraceHandler::identity).collect(Collectors.toSet());
        Predicate<TraceSnapshot> matches = story -> !known.contains(identity(story))
                && asked.test(story)
                && !target.in(List.of(story)).isEmpty();
        List<String> probes = target.name().isEmpty() ? List.of() : target.probes();
        List<TraceSnapshot> named = past.traces().find(new HistorySearch<>(probes, oldest, last, matches, limit));
        keep(named, found);
        if (!target.name().isEmpty()) {
            Predicate<TraceSnapshot> made =
                    story -> story.operation() == Operation.CREATE || story.operation() == Operation.CLOUD;
            named.stream()
                    .filter(TraceSnapshot::failed)
                    .limit(FAILED)
                    .forEach(story -> keep(
                            past.traces()
                                    .find(new HistorySearch<>(
                                            List.of(),
                                            story.at(),
                                            story.at().plus(story.took().orElse(Duration.ZERO)),
                                            made,
                                            MOST)),
                            found));
            keep(serving(named, made), found);
            keep(serving(found.values(), made), found);
        }
        return found.values().stream()
                .map(TraceSnapshot::byDate)
                .sorted(Comparator.comparing(TraceSnapshot::at))
                .toList();
    }

    /** What was made for these: by the resource that they got, and by the token of a request. */
    private List<TraceSnapshot> serving(Collection<TraceSnapshot> stories, Predicate<TraceSnapshot> made) {
        List<String> probes = stories.stream()
                .flatMap(story -> Stream.concat(
                        story.resource().stream().map(resource -> resource.id().value()),
                        Stream.of(story.subject().name())))
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
        Instant first = stories.stream()
                .map(TraceSnapshot::at)
                .min(Comparator.naturalOrder())
                .orElse(Instant.EPOCH);
        return probes.isEmpty()
                ? List.of()
                : past.traces().find(new HistorySearch<>(probes, first.minus(SUPPLY), Instant.MAX, made, MOST));
    }

    /** A trace stands in the files once more for each step that followed its end: the last one counts. */
    private static void keep(List<TraceSnapshot> stories, Map<Object, TraceSnapshot> found) {
        stories.forEach(story -> found.merge(
                identity(story),
                story,
                (one, other) -> one.steps().size() < other.steps().size() ? other : one));
    }

    /** Numbers begin anew with each run. */
    private static Object identity(TraceSnapshot story) {
        return List.of(story.id(), story.at());
    }

    private List<Event> formerEvents(
            TraceQuery target, Predicate<Event> asked, List<Event> ring, Instant oldest, int limit) {
        if (target.name().isEmpty() || limit <= 0) {
            return List.of();
        }
        long first = ring.isEmpty() ? Long.MAX_VALUE : ring.get(0).sequence();
        return past.events()
                .find(new HistorySearch<>(
                        target.probes(),
                        oldest,
                        Instant.MAX,
                        event -> event.sequence() < first && asked.test(event),
                        limit));
    }

    /** Leaves out a call that is part of another trace in the reply. */
    private static List<TraceSnapshot> withoutTold(List<TraceSnapshot> stories, TraceAssembler assembler) {
        Set<TraceSnapshot> parts = Collections.newSetFromMap(new IdentityHashMap<>());
        stories.stream()
                .filter(story -> story.operation() == Operation.CREATE || story.operation() == Operation.DISPOSE)
                .map(assembler::callsFor)
                .flatMap(Collection::stream)
                .forEach(parts::add);
        return stories.stream().filter(story -> !parts.contains(story)).toList();
    }

    private static TraceStory story(TraceSnapshot story, boolean withSpans) {
        TraceStory.Builder wire = Proto.fill(TraceStory.newBuilder(), story, story.subject())
                .setBegin(Proto.timestamp(story.at()))
                .setMessage(story.why())
                .setHint(hint(story))
                .setSpansDropped(story.dropped());
        if (!story.subject().name().isEmpty()) {
            wire.putAttributes("name", story.subject().name());
        }
        if (!story.subject().serves().isEmpty()) {
            wire.putAttributes("serves", String.join(" ", story.subject().serves()));
        }
        if (withSpans) {
            story.steps().forEach(step -> wire.addSpans(span(story, step)));
        }
        return wire.build();
    }

    private static TraceSpan.Builder span(TraceSnapshot story, TraceSnapshot.Step step) {
        return Proto.fill(TraceSpan.newBuilder(), step)
                .setStep(step.name())
                .setBegin(Proto.timestamp(story.at().plus(step.offset())))
                .setMessage(step.why());
    }

    /** Something that happened, as a trace without steps. */
    private static TraceStory story(Event event) {
        return TraceStory.newBuilder()
                .setOperation("EVENT")
                .setBegin(Proto.timestamp(event.at()))
                .setTook(com.google.protobuf.Duration.getDefaultInstance())
                .setOutcome(failed(event) ? event.severity().name() : TraceSnapshot.OK)
                .setMessage(event.message())
                .putAllAttributes(event.attributes())
                .putAttributes("type", event.type())
                .putAttributes("name", event.subject())
                .build();
    }

    private static boolean failed(Event event) {
        return event.severity() != Event.Severity.INFO;
    }

    /** What the engine said, else what is usual for this kind of failure. */
    private static String hint(TraceSnapshot story) {
        if (!story.hint().isEmpty() || !story.failed()) {
            return story.hint();
        }
        return Arrays.stream(ErrorKind.values())
                .filter(kind -> kind.name().equals(story.outcome()))
                .findFirst()
                .map(kind -> usual(kind, story.why()))
                .orElse("");
    }

    private static String usual(ErrorKind kind, String why) {
        if (why.contains("InvalidTimeStamp")) {
            // to the cloud a clock that is off looks like a wrong key
            return "set this node's clock ('chronyc tracking' shows how far it is off)";
        }
        return switch (kind) {
            case QUOTA_EXHAUSTED -> "raise the quota, or delete what fills it; 'eni list' shows this node's ENIs";
            case ADDRESSES_EXHAUSTED -> "add a vSwitch with free addresses to 'vswitches' of eni.json";
            case THROTTLED -> "it is tried again by itself; 'ecs budget' shows which limit holds it up";
            case UNAUTHORIZED ->
                "correct the credentials or the RAM policy; 'ecs calls --failed' shows what was refused";
            case MISCONFIGURED -> "correct what the message names; 'config show' shows what is in force";
            case UNAVAILABLE, DEADLINE_EXCEEDED ->
                "it is tried again by itself; 'ecs calls --failed' shows whether the cloud answers";
            case CONFLICT, NOT_FOUND -> "it is tried again by itself; 'pool sync' compares the pool with the cloud";
            case INTERNAL -> "this is a bug of the factory: 'plugin list' shows whose it is";
        };
    }

    private TraceMemory memory() {
        TraceRing.Memory memory = traces.memory();
        RecordLog.State kept = past.traces().state();
        TraceMemory.Builder wire = Proto.fill(TraceMemory.newBuilder(), memory).setKept(kept.records());
        kept.oldest().ifPresent(oldest -> wire.setKeptSince(Proto.timestamp(oldest)));
        return wire.setMostStories(memory.bounds().stories())
                .setMostBytes(memory.bounds().bytes())
                .build();
    }
}
