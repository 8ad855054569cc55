package io.enipam.shell.command;

import com.google.protobuf.util.Durations;
import io.enipam.shell.render.HistoryViews;
import io.enipam.shell.render.Listing;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.HistorySample;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "history",
        description = {
            "How the pool fared lately: a row for every few seconds.",
            "The counts are those at the end of the interval, the oldest first; ADD, DEL and CALLS of the cloud are what happened in it. An hour is kept, and forgotten with the daemon."
        })
final class PoolHistoryCommand extends ListCommand<HistorySample> {
    @Option(names = "--since", paramLabel = "TIME", converter = Span.class, description = "Only the last, such as 5m.")
    @Nullable
    Duration since;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "No more than this many, the latest; 0 for all that are kept. By default 20.")
    int limit;

    PoolHistoryCommand(Session session) {
        super(session);
    }

    @Override
    Listing<HistorySample> listing() {
        return HistoryViews.POOL;
    }

    @Override
    Answer<HistorySample> ask() {
        GetHistoryRequest.Builder request = GetHistoryRequest.newBuilder().setMaxSamples(Math.max(0, limit));
        if (since != null) {
            request.setSince(Durations.fromNanos(since.toNanos()));
        }
        return parts(stub -> stub.getHistory(request.build()), GetHistoryReply::getSamplesList);
    }
}
