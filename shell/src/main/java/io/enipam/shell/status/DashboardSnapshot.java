package io.enipam.shell.status;

import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.Event;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.HistorySample;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * All that one frame shows.
 *
 * @param at when it was looked
 * @param away why the daemon does not answer; the rest is then what it answered last
 * @param samples of the last ten minutes, the oldest first
 * @param apis what each API of the cloud may be asked
 * @param events the latest ones, the oldest first
 * @param load the machine's load averages; empty text if it does not say
 */
public record DashboardSnapshot(
        Instant at,
        Optional<Away> away,
        GetStatusReply status,
        List<HistorySample> samples,
        List<CloudApiBudget> apis,
        List<Event> events,
        String load) {
    public DashboardSnapshot {
        samples = List.copyOf(samples);
        apis = List.copyOf(apis);
        events = List.copyOf(events);
    }

    /**
     * A daemon that does not answer.
     *
     * @param why what came instead of an answer
     * @param since when it first did not
     */
    public record Away(String why, Instant since) {}
}
