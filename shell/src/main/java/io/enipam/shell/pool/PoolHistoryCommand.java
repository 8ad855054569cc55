package io.enipam.shell.pool;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
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
public final class PoolHistoryCommand extends ListCommand<HistorySample> {
    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Only the last, such as 5m.")
    @Nullable
    Duration since;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "No more than this many, the latest; 0 for all that are kept. By default 20.")
    int limit;

    public PoolHistoryCommand(Session session) {
        super(session);
    }

    @Override
    public TableListing<HistorySample> listing() {
        return PoolHistoryViews.POOL;
    }

    @Override
    public ListReply<HistorySample> ask() {
        GetHistoryRequest.Builder request = GetHistoryRequest.newBuilder().setMaxSamples(Math.max(0, limit));
        if (since != null) {
            request.setSince(Durations.fromNanos(since.toNanos()));
        }
        return parts(stub -> stub.getHistory(request.build()), GetHistoryReply::getSamplesList);
    }
}
