package io.enipam.shell.repl;

import io.enipam.shell.attach.DaemonConnection;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code trace} can tell of: what the daemon remembers, the latest first, whether it is still there or not. */
final class TraceCompletionValues {
    /** Enough to choose from. */
    private static final int MOST = 500;

    private TraceCompletionValues() {}

    static List<CompletionValues.Value> of(DaemonConnection daemon, Duration patience) {
        GetTraceRequest request =
                GetTraceRequest.newBuilder().setBrief(true).setLimit(MOST).build();
        Iterator<GetTraceReply> parts = daemon.stream(patience, stub -> stub.getTrace(request));
        List<TraceStory> latestFirst = new ArrayList<>();
        while (parts.hasNext()) {
            latestFirst.addAll(parts.next().getStoriesList());
        }
        Collections.reverse(latestFirst);
        Map<String, String> values = new LinkedHashMap<>();
        for (TraceStory story : latestFirst) {
            String what = story.getOperation() + " " + story.getOutcome();
            put(values, story.getPod(), "pod, " + what);
            put(values, story.getOwner().getContainer(), "container of " + story.getPod());
            for (String address : story.getResource().getAddressesList()) {
                put(values, address.replaceFirst("/.*", ""), "address of " + story.getPod());
            }
            put(values, story.getResource().getParent(), "ENI");
        }
        return values.entrySet().stream()
                .map(value -> new CompletionValues.Value(value.getKey(), value.getValue()))
                .toList();
    }

    private static void put(Map<String, String> values, String name, String what) {
        if (!name.isEmpty()) {
            values.putIfAbsent(name, what);
        }
    }
}
