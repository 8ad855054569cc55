package io.enipam.diagnostics.explain;

import io.enipam.diagnostics.explain.Explanation.Condition;
import io.enipam.diagnostics.explain.NameResolver.Subject;
import io.enipam.diagnostics.explain.NameResolver.Subject.Kind;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.LeaseEnd;
import io.enipam.engine.model.LeaseRecord;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.LeaseHistory.LeaseQuery;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is remembered of a thing that no source has any more. Reads files. */
final class PastExplanation extends ConditionBuilder {
    private static final int LEASES = 3;
    private static final int EVENTS = 3;

    private final String what;
    private final LeaseHistory history;

    PastExplanation(ExplainContext context, String what, LeaseHistory history) {
        super(context);
        this.what = what;
        this.history = history;
    }

    /** @param subject with the kind that its leases, or its name, tell */
    record Past(Subject subject, Condition condition) {}

    /** Empty if neither a lease nor an event names it. */
    Optional<Past> explain() {
        String name = LeaseRecord.addressOf(what).orElse(what);
        List<LeaseRecord> leases = history.find(new LeaseQuery(Optional.of(name), Instant.EPOCH, Instant.MAX, LEASES));
        List<Event> events = context.events().stream()
                .filter(event ->
                        event.subject().equals(name) || event.attributes().containsValue(name))
                .toList();
        if (leases.isEmpty() && events.isEmpty()) {
            return Optional.empty();
        }
        List<Event> last = events.subList(Math.max(0, events.size() - EVENTS), events.size());
        Optional<LeaseRecord> latest = leases.stream().findFirst();
        state(
                "GONE",
                last.stream()
                        .reduce((former, later) -> later)
                        .map(Event::at)
                        .or(() -> latest.flatMap(LeaseRecord::end).map(LeaseEnd::at)));
        why("nothing here has it any more; this is what is remembered");
        leases.forEach(lease -> why(words(lease)));
        last.forEach(event -> why(clock(event.at()) + " " + event.type() + ": " + event.message()));
        if (!leases.isEmpty()) {
            next("'lease history " + name + "' shows all leases of it");
        }
        return Optional.of(new Past(subject(name, latest), build()));
    }

    private static Subject subject(String name, Optional<LeaseRecord> lease) {
        if (lease.filter(of -> of.addresses().contains(name)).isPresent()) {
            return new Subject(Kind.ADDRESS, name, Set.of(name), Optional.empty(), Optional.empty());
        }
        Optional<LeaseRecord> ofOthers =
                lease.filter(of -> !of.eni().equals(name) && !of.resource().equals(name));
        Kind kind = ofOthers.map(of -> of.owner().containerId().startsWith(name) ? Kind.CONTAINER : Kind.POD)
                .orElse(Kind.ENI);
        return new Subject(kind, name, Set.of(), ofOthers.map(LeaseRecord::pod), ofOthers.map(LeaseRecord::owner));
    }

    private static String words(LeaseRecord lease) {
        return "pod " + lease.pod() + " had " + String.join(" and ", lease.addresses())
                + (lease.eni().isEmpty() ? "" : " on ENI " + lease.eni()) + ", container "
                + lease.owner().containerId() + ", from " + clock(lease.since())
                + lease.end()
                        .map(end -> " until " + clock(end.at()) + ": ended by " + end.reason()
                                + (end.by().isEmpty() ? "" : " of " + end.by())
                                + (end.detail().isEmpty() ? "" : " (" + end.detail() + ")"))
                        .orElse("");
    }

    private static String clock(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
