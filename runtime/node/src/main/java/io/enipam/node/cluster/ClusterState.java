package io.enipam.node.cluster;

import io.enipam.kubernetes.api.RequestStats;
import io.enipam.kubernetes.events.DroppedEvents;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How the link to the cluster fares, out of the daemon's own memory.
 *
 * @param server where the API server is
 * @param credentials whose word the daemon goes by there, for a person: a file's name, nothing out of it
 * @param node the node's name, as the API server should have it
 * @param requests all that were made since the start
 * @param lastMinute how many of them were over in the last minute
 * @param perSecond how many a second are allowed, watches aside
 * @param events the events that nobody was told of
 * @param clockAhead how far the API server's clock is ahead, if it told the time
 * @param trustsCalls whether an ADD goes on by its own parameters when nobody answers
 */
public record ClusterState(
        String server,
        String credentials,
        String node,
        WatchState watch,
        List<RequestStats.Count> requests,
        int lastMinute,
        int perSecond,
        DroppedEvents.Lost events,
        Optional<Duration> clockAhead,
        boolean trustsCalls) {
    public ClusterState {
        requests = List.copyOf(requests);
    }

    /** How many requests were answered with a status since the start. */
    public long answered(int code) {
        return requests.stream()
                .filter(count -> count.code() == code)
                .mapToLong(RequestStats.Count::times)
                .sum();
    }
}
