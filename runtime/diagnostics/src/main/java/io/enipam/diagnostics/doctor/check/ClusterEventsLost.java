package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import io.enipam.kubernetes.events.EventReporter.DroppedEvents;
import java.time.Duration;

/** Events that nobody in the cluster hears of. */
final class ClusterEventsLost implements Check {
    private static final Duration LATELY = Duration.ofMinutes(10);

    private static final About ABOUT = new About(
            "cluster-events-lost",
            "Events of pods and of the node are lost",
            Severity.INFO,
            "The events that the API server did not take, or that there was no room to keep for it. INFO if that happened in the last ten minutes.",
            "kubectl describe pod does not say why a pod has no address; the daemon's own events do.",
            "doctor apiserver-unreachable permission-missing apiserver-throttles; events");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        DroppedEvents.Lost lost = facts.the(ClusterFacts.class).state().events();
        boolean lately = lost.last()
                .filter(last -> last.isAfter(facts.now().minus(LATELY)))
                .isPresent();
        return lately
                ? Outcome.of(
                        Severity.INFO,
                        Say.count(lost.lost(), "event") + " lost since the start",
                        new Evidence("events", lost.why(), ApiAnswers.SOURCE, lost.last()))
                : Outcome.ok("no event was lost in the last " + Say.span(LATELY));
    }
}
