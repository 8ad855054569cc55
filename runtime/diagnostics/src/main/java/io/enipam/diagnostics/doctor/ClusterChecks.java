package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.list;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.OK;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.ok;
import static io.enipam.diagnostics.doctor.Outcome.skipped;

import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.kubernetes.api.CredentialStatus;
import io.enipam.kubernetes.api.RequestStats.Count;
import io.enipam.kubernetes.events.EventReporter;
import io.enipam.kubernetes.node.ClusterReader.NodeNetworkInfo;
import io.enipam.node.cluster.ClusterInspector.ClusterState;
import io.enipam.node.cluster.ClusterInspector.WatchState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The API server: whether it answers, what it forbids, and what the daemon knows of nodes and pods. */
public final class ClusterChecks {
    private static final Duration THROTTLED_WITHIN = Duration.ofMinutes(5);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration EVENTS_LOST_WITHIN = Duration.ofMinutes(10);
    private static final Set<String> POD_REQUESTS = Set.of("GET pods", "LIST pods", "WATCH pods");
    private static final String SOURCE = "API server";

    static final List<Check> ALL = List.of(
            Check.of("apiserver-refuses-token", CRITICAL, "The API server does not know who asks")
                    .reads("The answers to all requests. CRITICAL if one was 401 and nothing was served since.")
                    .because("No pod can be looked up and none is heard of, as if the API server were away.")
                    .advice("kubectl -n kube-system delete pod -l app.kubernetes.io/name=enipam --field-selector"
                            + " spec.nodeName=NODE, which gets this node's daemon a new token; with a kubeconfig: renew"
                            + " what is in it")
                    .by(ClusterChecks::apiServerRefusesToken),
            Check.of("apiserver-throttles", WARN, "The API server has too much to do")
                    .reads("The answers to all requests. WARN if one was 429 in the last five minutes.")
                    .because("Pods are looked up late: an ADD that waits too long goes by what was seen of its pod"
                            + " before.")
                    .advice("kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels; give"
                            + " kube-system's service accounts a level of their own, or lower"
                            + " kubernetes.requests_per_second")
                    .by(ClusterChecks::apiServerThrottles),
            Check.of("apiserver-unreachable", CRITICAL, "The API server does not answer")
                    .reads("The requests that were made, and the watch. WARN if the last of them got no answer,"
                            + " CRITICAL if nothing is heard of the watch either.")
                    .because("Pods are added by what was seen of them before or by their calls alone; nothing is"
                            + " collected, and the cluster hears nothing of this node.")
                    .advice("curl -k the address that status shows, from this node; check route, security group and the"
                            + " load balancer of the API server")
                    .by(ClusterChecks::apiServerUnreachable),
            Check.of("certificate-expiring", CRITICAL, "A token or certificate to the API server ends soon")
                    .reads("The token and the certificates of the connection to the API server, read anew. Of a token:"
                            + " WARN in the last tenth of its life, since the kubelet renews it long before. Of a"
                            + " certificate: WARN in its last week. CRITICAL for what has ended, or cannot be read.")
                    .because("Without them the API server refuses every call, or is not believed.")
                    .advice("kubectl -n kube-system delete pod -l app.kubernetes.io/name=enipam --field-selector"
                            + " spec.nodeName=NODE, which gets this node's daemon a new token; with a kubeconfig: renew"
                            + " what is in it")
                    .by(ClusterChecks::certificateExpiring),
            Check.of("cluster-events-lost", INFO, "Events of pods and of the node are lost")
                    .reads("The events that the API server did not take, or that there was no room to keep for it. INFO"
                            + " if that happened in the last ten minutes.")
                    .because("kubectl describe pod does not say why a pod has no address; the daemon's own events do.")
                    .advice("doctor apiserver-unreachable permission-missing apiserver-throttles; events")
                    .by(ClusterChecks::clusterEventsLost),
            Check.of("node-unknown", CRITICAL, "The cluster has no node of this name")
                    .reads("The node object, asked for by the name that this daemon goes by. CRITICAL if there is"
                            + " none.")
                    .because("By a wrong name no pod is found to be on this node: every ADD is refused, and nothing is"
                            + " heard of deletions.")
                    .advice("kubectl get nodes; set node.name, or NODE_NAME from spec.nodeName in the DaemonSet, and"
                            + " restart the daemon")
                    .by(ClusterChecks::nodeUnknown),
            Check.of("permission-missing", CRITICAL, "The API server forbids what the daemon needs")
                    .reads("The answers to all requests: those that were 403 and have not been served since. WARN, and"
                            + " CRITICAL where pods are concerned.")
                    .because("Without pods no ADD is sure of its pod and nothing is collected; without the others the"
                            + " cluster hears nothing of this node.")
                    .advice("kubectl auth can-i --list --as=system:serviceaccount:kube-system:enipam; apply the"
                            + " deployment's rbac.yaml, and for PATCH pods its components/pod-ips")
                    .by(ClusterChecks::permissionMissing),
            Check.of("pods-unknown", INFO, "It is unknown which pods there are")
                    .reads("Whether an API server can be asked for the pods of this node. INFO if not: then every pod"
                            + " that a call names is taken to exist.")
                    .because("Garbage collection finds nothing, so an address whose DEL was lost stays lent.")
                    .advice("set kubernetes.kubeconfig, or run the daemon in a pod; cni del --pod NS/NAME ends a lease"
                            + " by hand")
                    .by(ClusterChecks::podsUnknown),
            Check.of("watch-stale", WARN, "The watch on this node's pods is behind")
                    .reads("The watch, and its memory against a list that is made for this look, and again a"
                            + " second later where they differ. WARN if the watch is down for ten seconds or more, or what"
                            + " differs has lasted.")
                    .because("Deletions are not noticed, so addresses come back by the five-minute collection alone;"
                            + " what explain and doctor say of pods is old.")
                    .advice("events; doctor apiserver-unreachable permission-missing; if the API server answers and the"
                            + " watch stays behind, restart the daemon, which lists anew")
                    .by(ClusterChecks::watchStale));

    private ClusterChecks() {}

    private static Outcome apiServerRefusesToken(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        return each(
                since(state, count -> count.code() == 401, Count::served)
                        .map(count -> evidence(count, "401 with " + state.credentials())),
                CRITICAL,
                n -> "the API server does not accept " + state.credentials(),
                "the API server accepts " + state.credentials());
    }

    private static Outcome apiServerThrottles(Facts facts) {
        Instant lately = facts.now().minus(THROTTLED_WITHIN);
        return each(
                facts.the(ClusterState.class).requests().stream()
                        .filter(count -> count.code() == 429 && count.last().isAfter(lately))
                        .map(count -> evidence(count, "429")),
                WARN,
                n -> "the API server refuses requests of this node for now",
                "no request was throttled in the last " + span(THROTTLED_WITHIN));
    }

    private static Outcome apiServerUnreachable(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        if (state.requests().isEmpty()) {
            return skipped("nothing was asked of it yet");
        }
        List<Evidence> unanswered = since(state, count -> count.code() <= 0, count -> count.code() > 0)
                .map(count -> evidence(count, "no answer"))
                .toList();
        WatchState watch = state.watch();
        Stream<Evidence> silent = watch.heard() || unanswered.isEmpty()
                ? Stream.empty()
                : Stream.of(new Evidence("watch", watch.trouble(), SOURCE, watch.since()));
        return each(
                Stream.concat(silent, unanswered.stream()),
                watch.heard() ? WARN : CRITICAL,
                n -> "the API server at " + state.server() + " does not answer",
                "the API server at " + state.server() + " answers");
    }

    private static Outcome certificateExpiring(Facts facts) {
        Credentials held = facts.the(Credentials.class);
        List<Evidence> evidence = new ArrayList<>();
        Severity worst = OK;
        for (CredentialStatus credential : held.credentials()) {
            Severity severity = severityOf(credential, facts.now());
            if (severity != OK) {
                evidence.add(credentialEvidence(credential, facts.now()));
                worst = severity.worse(worst);
            }
        }
        return evidence.isEmpty()
                ? ok("what " + held.place() + " holds is good")
                : found(worst, evidence.get(0).subject() + " " + evidence.get(0).seen(), evidence);
    }

    private static Severity severityOf(CredentialStatus credential, Instant now) {
        if (credential.trouble().isPresent()) {
            return CRITICAL;
        }
        if (credential.until().isEmpty()) {
            return OK;
        }
        Instant until = credential.until().get();
        if (until.isBefore(now)) {
            return CRITICAL;
        }
        // it should have been renewed a week before its end, or a tenth of a shorter life
        Duration renewal = credential
                .from()
                .map(from -> Duration.between(from, until).dividedBy(10))
                .filter(tenth -> tenth.compareTo(WEEK) < 0)
                .orElse(WEEK);
        return now.plus(renewal).isAfter(until) ? WARN : OK;
    }

    private static Evidence credentialEvidence(CredentialStatus credential, Instant now) {
        String seen = credential.trouble().orElseGet(() -> {
            Instant until = credential.until().orElse(now);
            String left = span(Duration.between(now, until));
            return (until.isBefore(now) ? "ended " + left + " ago" : "ends in " + left) + ", at " + until;
        });
        return new Evidence(credential.what(), seen, "daemon");
    }

    private static Outcome clusterEventsLost(Facts facts) {
        EventReporter.Lost lost = facts.the(ClusterState.class).events();
        Instant lately = facts.now().minus(EVENTS_LOST_WITHIN);
        return lost.last()
                .filter(last -> last.isAfter(lately))
                .map(last -> found(
                        INFO,
                        count(lost.lost(), "event") + " lost since the start",
                        new Evidence("events", lost.why(), SOURCE, last)))
                .orElseGet(() -> ok("no event was lost in the last " + span(EVENTS_LOST_WITHIN)));
    }

    private static Outcome nodeUnknown(Facts facts) {
        String name = facts.the(NodeObject.class).name();
        return facts.the(NodeObject.class).info().isPresent()
                ? ok("the cluster knows this node as " + name)
                : found(
                        CRITICAL,
                        "the cluster has no node " + name,
                        new Evidence(name, "404, there is no such node", SOURCE));
    }

    private static Outcome permissionMissing(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        List<Count> forbidden = state.requests().stream()
                .filter(count -> count.code() == 403 && !servedSince(state, count))
                .toList();
        List<String> permissions =
                forbidden.stream().map(count -> permission(count.request())).toList();
        boolean pods = forbidden.stream().anyMatch(count -> POD_REQUESTS.contains(count.request()));
        return each(
                forbidden.stream().map(count -> evidence(count, "403 with " + state.credentials())),
                pods ? CRITICAL : WARN,
                n -> "not allowed: " + list(permissions),
                "nothing is forbidden of what was asked for");
    }

    private static boolean servedSince(ClusterState state, Count refused) {
        return state.requests().stream()
                .anyMatch(count -> count.served()
                        && count.request().equals(refused.request())
                        && !count.last().isBefore(refused.last()));
    }

    private static Outcome podsUnknown(Facts facts) {
        return facts.the(EngineState.class).podsKnown()
                ? ok("the pods of this node are known")
                : found(INFO, "no cluster is asked, so no lease is ever found stale");
    }

    private static Outcome watchStale(Facts facts) {
        WatchState watch = facts.the(ClusterState.class).watch();
        if (!watch.heard()) {
            return facts.now().isBefore(watch.since().plus(Duration.ofSeconds(10)))
                    ? skipped("it has just begun")
                    : found(
                            WARN,
                            "nothing is heard of this node's pods",
                            new Evidence("watch", watch.trouble(), SOURCE, watch.since()));
        }
        PodListDifference listed = facts.the(PodListDifference.class);
        String left = "is not listed any more, and its end was not heard of";
        return each(
                Stream.concat(
                        listed.unheard().stream()
                                .map(pod -> new Evidence(pod, "is listed, and was never heard of", SOURCE)),
                        listed.left().stream().map(pod -> new Evidence(pod, left, SOURCE))),
                WARN,
                n -> count(n, "pod") + " of which the watch says something else than a list",
                count(watch.pods(), "pod") + " known, the same as listed");
    }

    /** Requests that fit, unless one that heals them came later. */
    private static Stream<Count> since(ClusterState state, Predicate<Count> fits, Predicate<Count> heals) {
        Optional<Instant> healed =
                state.requests().stream().filter(heals).map(Count::last).max(Comparator.naturalOrder());
        return state.requests().stream()
                .filter(fits)
                .filter(count ->
                        healed.filter(later -> !later.isBefore(count.last())).isEmpty());
    }

    /** {@code PATCH nodes/status} as a permission is written: {@code patch nodes/status}. */
    private static String permission(String request) {
        int blank = request.indexOf(' ');
        return blank < 0 ? request : request.substring(0, blank).toLowerCase(Locale.ROOT) + request.substring(blank);
    }

    private static Evidence evidence(Count count, String seen) {
        String often = count.times() == 1 ? "" : ", " + count.times() + " times since the start";
        return new Evidence(count.request(), seen + often, SOURCE, count.last());
    }

    /**
     * What the daemon goes by at the API server, without the secrets.
     *
     * @param place where it comes from
     */
    public record Credentials(String place, List<CredentialStatus> credentials) {}

    /** @param info empty if there is no such node */
    public record NodeObject(String name, Optional<NodeNetworkInfo> info) {}

    /**
     * Where the watch's memory and a list of the API server differ, in two looks.
     *
     * @param unheard pods that the list has and the watch does not
     * @param left pods that the watch has and the list does not
     */
    public record PodListDifference(List<String> unheard, List<String> left) {}
}
