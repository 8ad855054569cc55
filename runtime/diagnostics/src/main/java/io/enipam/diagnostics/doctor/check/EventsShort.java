package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.EventFacts;
import io.enipam.engine.model.Event;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** A ring that overflows. */
final class EventsShort implements Check {
    private static final Duration ENOUGH = Duration.ofHours(1);

    private static final About ABOUT = new About(
            "events-short",
            "The ring of events reaches back only a little",
            Severity.INFO,
            "The events that are kept. INFO if the ring is full and its oldest event is younger than an hour.",
            "What happened before is gone: the story of a failure may be in the log alone.",
            "events | wc; events tells what there is so much of; the daemon's log has all of them");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        EventFacts events = facts.the(EventFacts.class);
        if (events.kept().size() < events.room()) {
            return Outcome.ok(Say.count(events.kept().size(), "event") + " kept, none was dropped");
        }
        Duration reach = Duration.between(events.kept().get(0).at(), facts.now());
        if (reach.compareTo(ENOUGH) >= 0) {
            return Outcome.ok("they reach back " + Say.span(reach));
        }
        Map<String, Long> byType =
                events.kept().stream().collect(Collectors.groupingBy(Event::type, Collectors.counting()));
        String most = byType.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(type -> type.getValue() + " of them are " + type.getKey())
                .orElse("");
        return Outcome.of(
                Severity.INFO,
                "the last " + events.room() + " events reach back " + Say.span(reach),
                new Evidence("events", most, "daemon"));
    }
}
