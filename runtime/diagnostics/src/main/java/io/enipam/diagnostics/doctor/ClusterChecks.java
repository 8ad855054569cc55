package io.enipam.diagnostics.doctor;

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

/** The API server: whether it answers, what it forbids, and what the daemon knows of nodes and pods. */
public final class ClusterChecks {
    private static final Duration THROTTLED_WITHIN = Duration.ofMinutes(5);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration EVENTS_LOST_WITHIN = Duration.ofMinutes(10);
    private static final Set<String> POD_REQUESTS = Set.of("GET pods", "LIST pods", "WATCH pods");

    private ClusterChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "apiserver-refuses-token",
                        "The API server does not know who asks",
                        Severity.CRITICAL,
                        "The answers to all requests. CRITICAL if one was 401 and nothing was served since.",
                        "No pod can be looked up and none is heard of, as if the API server were away.",
                        "kubectl -n kube-system delete pod -l app.kubernetes.io/name=enipam --field-selector"
                                + " spec.nodeName=NODE, which gets this node's daemon a new token; with a kubeconfig:"
                                + " renew what is in it",
                        ClusterChecks::apiServerRefusesToken),
                new Check(
                        "apiserver-throttles",
                        "The API server has too much to do",
                        Severity.WARN,
                        "The answers to all requests. WARN if one was 429 in the last five minutes.",
                        "Pods are looked up late: an ADD that waits too long goes by what was seen of its pod before.",
                        "kubectl get --raw /debug/api_priority_and_fairness/dump_priority_levels; give kube-system's"
                                + " service accounts a level of their own, or lower kubernetes.requests_per_second",
                        ClusterChecks::apiServerThrottles),
                new Check(
                        "apiserver-unreachable",
                        "The API server does not answer",
                        Severity.CRITICAL,
                        "The requests that were made, and the watch. WARN if the last of them got no answer, CRITICAL"
                                + " if nothing is heard of the watch either.",
                        "Pods are added by what was seen of them before or by their calls alone; nothing is collected, and the cluster hears nothing of this node.",
                        "curl -k the address that status shows, from this node; check route, security group and the"
                                + " load balancer of the API server",
                        ClusterChecks::apiServerUnreachable),
                new Check(
                        "certificate-expiring",
                        "A token or certificate to the API server ends soon",
                        Severity.CRITICAL,
                        "The token and the certificates of the connection to the API server, read anew. Of a token:"
                                + " WARN in the last tenth of its life, since the kubelet renews it long before. Of a"
                                + " certificate: WARN in its last week. CRITICAL for what has ended, or cannot be"
                                + " read.",
                        "Without them the API server refuses every call, or is not believed.",
                        "kubectl -n kube-system delete pod -l app.kubernetes.io/name=enipam --field-selector"
                                + " spec.nodeName=NODE, which gets this node's daemon a new token; with a kubeconfig:"
                                + " renew what is in it",
                        ClusterChecks::certificateExpiring),
                new Check(
                        "cluster-events-lost",
                        "Events of pods and of the node are lost",
                        Severity.INFO,
                        "The events that the API server did not take, or that there was no room to keep for it. INFO"
                                + " if that happened in the last ten minutes.",
                        "kubectl describe pod does not say why a pod has no address; the daemon's own events do.",
                        "doctor apiserver-unreachable permission-missing apiserver-throttles; events",
                        ClusterChecks::clusterEventsLost),
                new Check(
                        "node-unknown",
                        "The cluster has no node of this name",
                        Severity.CRITICAL,
                        "The node object, asked for by the name that this daemon goes by. CRITICAL if there is none.",
                        "By a wrong name no pod is found to be on this node: every ADD is refused, and nothing is"
                                + " heard of deletions.",
                        "kubectl get nodes; set node.name, or NODE_NAME from spec.nodeName in the DaemonSet, and"
                                + " restart the daemon",
                        ClusterChecks::nodeUnknown),
                new Check(
                        "permission-missing",
                        "The API server forbids what the daemon needs",
                        Severity.CRITICAL,
                        "The answers to all requests: those that were 403 and have not been served since. WARN, and"
                                + " CRITICAL where pods are concerned.",
                        "Without pods no ADD is sure of its pod and nothing is collected; without the others the cluster hears nothing of this node.",
                        "kubectl auth can-i --list --as=system:serviceaccount:kube-system:enipam; apply the"
                                + " deployment's rbac.yaml, and for PATCH pods its components/pod-ips",
                        ClusterChecks::permissionMissing),
                new Check(
                        "pods-unknown",
                        "It is unknown which pods there are",
                        Severity.INFO,
                        "Whether an API server can be asked for the pods of this node. INFO if not: then every pod"
                                + " that a call names is taken to exist.",
                        "Garbage collection finds nothing, so an address whose DEL was lost stays lent.",
                        "set kubernetes.kubeconfig, or run the daemon in a pod; cni del --pod NS/NAME ends a lease by"
                                + " hand",
                        ClusterChecks::podsUnknown),
                new Check(
                        "watch-stale",
                        "The watch on this node's pods is behind",
                        Severity.WARN,
                        "The watch, and its memory against a list that is made for this look, twice within two"
                                + " seconds where they differ. WARN if the watch is down for ten seconds or more, or"
                                + " what differs has lasted.",
                        "Deletions are not noticed, so addresses come back by the five-minute collection alone; what"
                                + " explain and doctor say of pods is old.",
                        "events; doctor apiserver-unreachable permission-missing; if the API server answers and the"
                                + " watch stays behind, restart the daemon, which lists anew",
                        ClusterChecks::watchStale));
    }

    private static Outcome apiServerRefusesToken(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        return Outcome.each(
                since(state, count -> count.code() == 401, Count::served).stream()
                        .map(count -> evidence(count, "401 with " + state.credentials())),
                Severity.CRITICAL,
                n -> "the API server does not accept " + state.credentials(),
                "the API server accepts " + state.credentials());
    }

    private static Outcome apiServerThrottles(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        return Outcome.each(
                state.requests().stream()
                        .filter(count -> count.code() == 429
                                && count.last().isAfter(facts.now().minus(THROTTLED_WITHIN)))
                        .map(count -> evidence(count, "429")),
                Severity.WARN,
                n -> "the API server refuses requests of this node for now",
                "no request was throttled in the last " + Figures.span(THROTTLED_WITHIN));
    }

    private static Outcome apiServerUnreachable(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        List<Count> unanswered = since(state, count -> count.code() <= 0, count -> count.code() > 0);
        if (unanswered.isEmpty()) {
            return state.requests().isEmpty()
                    ? Outcome.skipped("nothing was asked of it yet")
                    : Outcome.ok("the API server at " + state.server() + " answers");
        }
        List<Evidence> evidence = new ArrayList<>();
        boolean silent = !state.watch().heard();
        if (silent) {
            evidence.add(new Evidence(
                    "watch", state.watch().trouble(), SOURCE, state.watch().since()));
        }
        unanswered.forEach(count -> evidence.add(evidence(count, "no answer")));
        return Outcome.of(
                silent ? Severity.CRITICAL : Severity.WARN,
                "the API server at " + state.server() + " does not answer",
                evidence);
    }

    private static Outcome certificateExpiring(Facts facts) {
        Credentials held = facts.the(Credentials.class);
        List<Evidence> evidence = new ArrayList<>();
        Severity worst = Severity.OK;
        for (CredentialStatus credential : held.credentials()) {
            Severity severity = severityOf(credential, facts.now());
            if (severity != Severity.OK) {
                evidence.add(credentialEvidence(credential, facts.now()));
                worst = severity.atLeast(worst) ? severity : worst;
            }
        }
        return evidence.isEmpty()
                ? Outcome.ok("what " + held.place() + " holds is good")
                : Outcome.of(
                        worst, evidence.get(0).subject() + " " + evidence.get(0).seen(), evidence);
    }

    private static Severity severityOf(CredentialStatus credential, Instant now) {
        if (credential.trouble().isPresent()) {
            return Severity.CRITICAL;
        }
        if (credential.until().isEmpty()) {
            return Severity.OK;
        }
        Duration left = Duration.between(now, credential.until().get());
        if (left.isNegative()) {
            return Severity.CRITICAL;
        }
        return left.compareTo(renewalLimit(credential)) < 0 ? Severity.WARN : Severity.OK;
    }

    /** How long before its end it should have been renewed; a week, or a tenth of a shorter life. */
    private static Duration renewalLimit(CredentialStatus credential) {
        return credential
                .from()
                .flatMap(from -> credential
                        .until()
                        .map(until -> Duration.between(from, until).dividedBy(10)))
                .filter(tenth -> tenth.compareTo(WEEK) < 0)
                .orElse(WEEK);
    }

    private static Evidence credentialEvidence(CredentialStatus credential, Instant now) {
        String seen = credential.trouble().orElseGet(() -> {
            Instant until = credential.until().orElse(now);
            Duration left = Duration.between(now, until);
            return (left.isNegative() ? "ended " + Figures.span(left) + " ago" : "ends in " + Figures.span(left))
                    + ", at " + until;
        });
        return new Evidence(credential.what(), seen, "daemon");
    }

    private static Outcome clusterEventsLost(Facts facts) {
        EventReporter.Lost lost = facts.the(ClusterState.class).events();
        boolean lately = lost.last()
                .filter(last -> last.isAfter(facts.now().minus(EVENTS_LOST_WITHIN)))
                .isPresent();
        return lately
                ? Outcome.of(
                        Severity.INFO,
                        Figures.count(lost.lost(), "event") + " lost since the start",
                        new Evidence("events", lost.why(), SOURCE, lost.last()))
                : Outcome.ok("no event was lost in the last " + Figures.span(EVENTS_LOST_WITHIN));
    }

    private static Outcome nodeUnknown(Facts facts) {
        NodeObject node = facts.the(NodeObject.class);
        return node.word().isPresent()
                ? Outcome.ok("the cluster knows this node as " + node.name())
                : Outcome.of(
                        Severity.CRITICAL,
                        "the cluster has no node " + node.name(),
                        new Evidence(node.name(), "404, there is no such node", SOURCE));
    }

    private static Outcome permissionMissing(Facts facts) {
        ClusterState state = facts.the(ClusterState.class);
        List<Count> forbidden = state.requests().stream()
                .filter(count -> count.code() == 403 && !servedSince(state, count))
                .toList();
        if (forbidden.isEmpty()) {
            return Outcome.ok("nothing is forbidden of what was asked for");
        }
        boolean pods = forbidden.stream().anyMatch(count -> POD_REQUESTS.contains(count.request()));
        return Outcome.of(
                pods ? Severity.CRITICAL : Severity.WARN,
                "not allowed: "
                        + Figures.list(forbidden.stream()
                                .map(count -> permission(count.request()))
                                .toList()),
                forbidden.stream()
                        .map(count -> evidence(count, "403 with " + state.credentials()))
                        .toList());
    }

    private static boolean servedSince(ClusterState state, Count refused) {
        return state.requests().stream()
                .anyMatch(count -> count.served()
                        && count.request().equals(refused.request())
                        && !count.last().isBefore(refused.last()));
    }

    private static Outcome podsUnknown(Facts facts) {
        return facts.the(EngineState.class).podsKnown()
                ? Outcome.ok("the pods of this node are known")
                : Outcome.of(Severity.INFO, "no cluster is asked, so no lease is ever found stale");
    }

    private static Outcome watchStale(Facts facts) {
        WatchState watch = facts.the(ClusterState.class).watch();
        if (!watch.heard()) {
            return facts.now().isBefore(watch.since().plus(Duration.ofSeconds(10)))
                    ? Outcome.skipped("it has just begun")
                    : Outcome.of(
                            Severity.WARN,
                            "nothing is heard of this node's pods",
                            new Evidence("watch", watch.trouble(), SOURCE, watch.since()));
        }
        PodListDifference listed = facts.the(PodListDifference.class);
        List<Evidence> evidence = new ArrayList<>();
        listed.unheard().forEach(pod -> evidence.add(new Evidence(pod, "is listed, and was never heard of", SOURCE)));
        listed.left()
                .forEach(pod -> evidence.add(
                        new Evidence(pod, "is not listed any more, and its end was not heard of", SOURCE)));
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Figures.count(evidence.size(), "pod") + " of which the watch says something else than a list",
                Figures.count(watch.pods(), "pod") + " known, the same as listed");
    }

    private static final String SOURCE = "API server";

    /** When a request that fits was over last. */
    private static Optional<Instant> last(ClusterState state, Predicate<Count> fits) {
        return state.requests().stream().filter(fits).map(Count::last).max(Comparator.naturalOrder());
    }

    /** Requests that fit, unless one that heals them came later. */
    private static List<Count> since(ClusterState state, Predicate<Count> fits, Predicate<Count> heals) {
        Optional<Instant> healed = last(state, heals);
        return state.requests().stream()
                .filter(count -> fits.test(count)
                        && healed.filter(later -> !later.isBefore(count.last())).isEmpty())
                .toList();
    }

    /** {@code PATCH nodes/status} as a permission is written: {@code patch nodes/status}. */
    private static String permission(String request) {
        int blank = request.indexOf(' ');
        return blank < 0 ? request : request.substring(0, blank).toLowerCase(Locale.ROOT) + request.substring(blank);
    }

    private static Evidence evidence(Count count, String seen) {
        return new Evidence(
                count.request(),
                seen + (count.times() == 1 ? "" : ", " + count.times() + " times since the start"),
                SOURCE,
                count.last());
    }

    /**
     * What the daemon goes by at the API server, without the secrets.
     *
     * @param place where it comes from
     */
    public record Credentials(String place, List<CredentialStatus> credentials) {
        public Credentials {
            credentials = List.copyOf(credentials);
        }
    }

    /**
     * The node object.
     *
     * @param name by which it was asked for
     * @param word empty if there is no such node
     */
    public record NodeObject(String name, Optional<NodeNetworkInfo> word) {}

    /**
     * Where the watch's memory and a list of the API server differ, in two looks.
     *
     * @param unheard pods that the list has and the watch does not
     * @param left pods that the watch has and the list does not
     */
    public record PodListDifference(List<String> unheard, List<String> left) {
        public PodListDifference {
            unheard = List.copyOf(unheard);
            left = List.copyOf(left);
        }
    }
}
