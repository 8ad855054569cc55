package io.enipam.frontends.rpc;

import io.enipam.diagnostics.trace.TraceAssembler;
import io.enipam.diagnostics.trace.TraceQuery;
import io.enipam.diagnostics.trace.TraceRing;
import io.enipam.engine.port.TimeSource;
import io.enipam.engine.port.Trace.Operation;
import io.enipam.engine.trace.TraceSnapshot;
import io.enipam.events.EventRing;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.TraceStory;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tells the stories of a name. Thread-safe. */
final class TraceHandler {
    private final TraceRing traces;
    private final EventRing events;
    private final TimeSource time;

    TraceHandler(TraceRing traces, EventRing events, TimeSource time) {
        this.traces = traces;
        this.events = events;
        this.time = time;
    }

    void get(GetTraceRequest request, StreamObserver<GetTraceReply> observer) {
        // one whole story may be long: each is a message of its own
        ChunkedReply.send(
                observer, () -> parts(request), TraceHandler::merged, request.getBrief() ? ChunkedReply.CHUNK : 1);
    }

    private List<GetTraceReply> parts(GetTraceRequest request) {
        List<GetTraceReply> parts = new ArrayList<>();
        stories(request)
                .forEach(story ->
                        parts.add(GetTraceReply.newBuilder().addStories(story).build()));
        parts.add(GetTraceReply.newBuilder()
                .setMemory(TraceMapper.memory(traces.memory()))
                .build());
        return parts;
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
        Instant oldest = request.hasSince() ? time.now().minus(ProtoTime.span(request.getSince())) : Instant.MIN;
        Stream<TraceStory> told = chosen.stream()
                .filter(story -> !story.at().isBefore(oldest))
                .filter(story -> !request.getFailed() || story.failed())
                .map(story ->
                        TraceMapper.story(request.getBrief() ? story : assembler.whole(story), !request.getBrief()));
        Stream<TraceStory> happened = events.after(0).stream()
                .filter(target::is)
                .filter(event -> !event.at().isBefore(oldest))
                .filter(event -> !request.getFailed() || TraceMapper.failed(event))
                .map(TraceMapper::story);
        List<TraceStory> inOrder = Stream.concat(told, happened)
                .sorted(Comparator.comparing((TraceStory story) -> ProtoTime.instant(story.getBegin())))
                .toList();
        int most = request.getLimit() > 0 ? request.getLimit() : inOrder.size();
        return inOrder.subList(Math.max(0, inOrder.size() - most), inOrder.size());
    }

    /** A call that is part of another story that is told is not told once more. */
    private static List<TraceSnapshot> withoutTold(List<TraceSnapshot> stories, TraceAssembler assembler) {
        Set<Long> parts = stories.stream()
                .filter(story -> story.operation() == Operation.CREATE || story.operation() == Operation.DISPOSE)
                .map(assembler::callsFor)
                .flatMap(Collection::stream)
                .map(TraceSnapshot::id)
                .collect(Collectors.toSet());
        return stories.stream().filter(story -> !parts.contains(story.id())).toList();
    }
}
