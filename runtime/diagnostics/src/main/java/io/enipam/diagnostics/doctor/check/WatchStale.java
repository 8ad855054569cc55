package io.enipam.diagnostics.doctor.check;

import io.enipam.diagnostics.doctor.About;
import io.enipam.diagnostics.doctor.Check;
import io.enipam.diagnostics.doctor.Evidence;
import io.enipam.diagnostics.doctor.Facts;
import io.enipam.diagnostics.doctor.Outcome;
import io.enipam.diagnostics.doctor.Severity;
import io.enipam.diagnostics.doctor.fact.ClusterFacts;
import io.enipam.diagnostics.doctor.fact.ListedFacts;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A watch that does not say what there is. */
final class WatchStale implements Check {
    private static final Duration MOMENT = Duration.ofSeconds(10);

    private static final About ABOUT = new About(
            "watch-stale",
            "The watch on this node's pods is behind",
            Severity.WARN,
            "The watch, and its memory against a list that is made for this look, twice within two seconds where they differ. WARN if the watch is down for ten seconds or more, or what differs has lasted.",
            "Deletions are not noticed, so addresses come back by the five-minute collection alone; what explain and doctor say of pods is old.",
            "events; doctor apiserver-unreachable permission-missing; if the API server answers and the watch stays behind, restart the daemon, which lists anew");

    @Override
    public About about() {
        return ABOUT;
    }

    @Override
    public Outcome look(Facts facts) {
        WatchState watch = facts.the(ClusterFacts.class).state().watch();
        if (!watch.heard()) {
            return facts.now().isBefore(watch.since().plus(MOMENT))
                    ? Outcome.skipped("it has just begun")
                    : Outcome.of(
                            Severity.WARN,
                            "nothing is heard of this node's pods",
                            new Evidence("watch", watch.trouble(), ApiAnswers.SOURCE, watch.since()));
        }
        ListedFacts listed = facts.the(ListedFacts.class);
        List<Evidence> evidence = new ArrayList<>();
        listed.unheard()
                .forEach(
                        pod -> evidence.add(new Evidence(pod, "is listed, and was never heard of", ApiAnswers.SOURCE)));
        listed.left()
                .forEach(pod -> evidence.add(
                        new Evidence(pod, "is not listed any more, and its end was not heard of", ApiAnswers.SOURCE)));
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Say.count(evidence.size(), "pod") + " of which the watch says something else than a list",
                Say.count(watch.pods(), "pod") + " known, the same as listed");
    }
}
