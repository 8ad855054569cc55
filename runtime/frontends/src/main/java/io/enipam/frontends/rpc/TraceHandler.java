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
import io.enipam.sdk.ErrorKind;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The traces of a name, with the events about it. Thread-safe. */
record TraceHandler(TraceRing traces, EventRing events, TimeSource time) {
    void send(GetTraceRequest request, ServerCallStreamObserver<GetTraceReply> observer) {
        List<GetTraceReply> parts = new ArrayList<>();
        stories(request)
                .forEach(story ->
                        parts.add(GetTraceReply.newBuilder().addStories(story).build()));
        parts.add(GetTraceReply.newBuilder().setMemory(memory(traces.memory())).build());
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
        List<TraceSnapshot> all = traces.all();
        TraceAssembler assembler = new TraceAssembler(all);
        TraceQuery target = new TraceQuery(request.getTarget());
        List<TraceSnapshot> chosen = withoutTold(target.in(all), assembler);
        Instant oldest = request.hasSince() ? time.now().minus(Proto.span(request.getSince())) : Instant.MIN;
        Stream<TraceStory> told = chosen.stream()
                .filter(story -> !story.at().isBefore(oldest))
                .filter(story -> !request.getFailed() || story.failed())
                .map(story -> story(request.getBrief() ? story : assembler.whole(story), !request.getBrief()));
        Stream<TraceStory> happened = events.after(0).stream()
                .filter(target::is)
                .filter(event -> !event.at().isBefore(oldest))
                .filter(event -> !request.getFailed() || failed(event))
                .map(TraceHandler::story);
        List<TraceStory> inOrder = Stream.concat(told, happened)
                .sorted(Comparator.comparing((TraceStory story) -> Proto.instant(story.getBegin())))
                .toList();
        return Proto.last(inOrder, request.getLimit());
    }

    /** Leaves out a call that is part of another trace in the reply. */
    private static List<TraceSnapshot> withoutTold(List<TraceSnapshot> stories, TraceAssembler assembler) {
        Set<Long> parts = stories.stream()
                .filter(story -> story.operation() == Operation.CREATE || story.operation() == Operation.DISPOSE)
                .map(assembler::callsFor)
                .flatMap(Collection::stream)
                .map(TraceSnapshot::id)
                .collect(Collectors.toSet());
        return stories.stream().filter(story -> !parts.contains(story.id())).toList();
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

    private static TraceMemory memory(TraceRing.Memory memory) {
        return Proto.fill(TraceMemory.newBuilder(), memory)
                .setMostStories(memory.bounds().stories())
                .setMostBytes(memory.bounds().bytes())
                .build();
    }
}
