package io.enipam.diagnostics.explain;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.aliyun.api.CloudApi;
import io.enipam.aliyun.calls.ApiCallLog;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.config.NearestName;
import io.enipam.diagnostics.explain.NameResolver.Subject;
import io.enipam.diagnostics.explain.NameResolver.Subject.Kind;
import io.enipam.diagnostics.explain.PluginWords.CheckFinding;
import io.enipam.diagnostics.explain.PluginWords.PluginSource;
import io.enipam.diagnostics.readiness.Troubles;
import io.enipam.diagnostics.sources.OperatorQuota;
import io.enipam.diagnostics.sources.Snapshot;
import io.enipam.diagnostics.sources.Snapshot.SourceReply;
import io.enipam.diagnostics.sources.Statement;
import io.enipam.diagnostics.sources.compare.Difference;
import io.enipam.diagnostics.sources.compare.SourceComparison;
import io.enipam.diagnostics.sources.compare.SourceComparison.Patience;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.lease.OrphanRule.OrphanDecision;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.Event;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.CloudInspector;
import io.enipam.engine.port.CloudInspector.ObservedEni;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.CloudOperation;
import io.enipam.engine.port.GrantDirectory.ServedClaim;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.engine.port.TimeSource;
import io.enipam.events.EventRing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Explains one thing for each call. Thread-safe; nothing blocks and nothing is changed. */
public final class Explainer {
    private static final int EVENTS = 8;
    private static final int CALLS = 5;
    private static final Duration HOLDERS = Duration.ofSeconds(4);
    private static final Duration PLUGINS = Duration.ofSeconds(6);

    private final SourceComparison comparing;
    private final Supplier<Optional<CloudInspector>> cloud;
    private final AddressHolders holders;
    private final Records records;
    private final Function<OwnerKey, CompletableFuture<Optional<OrphanDecision>>> decide;
    private final PluginSource plugins;

    /**
     * @param cloud knows addresses that are not this node's; empty if nothing does
     * @param share what asking it is taken from
     * @param decide what the next garbage collection makes of a lease, or of a claim
     */
    public Explainer(
            SourceComparison comparing,
            Supplier<Optional<CloudInspector>> cloud,
            OperatorQuota share,
            Records records,
            TimeSource time,
            Function<OwnerKey, CompletableFuture<Optional<OrphanDecision>>> decide,
            PluginSource plugins) {
        this.holders = new AddressHolders(share, time);
        this.comparing = comparing;
        this.cloud = cloud;
        this.records = records;
        this.decide = decide;
        this.plugins = plugins;
    }

    /**
     * What the daemon itself remembers.
     *
     * @param troubles those of now
     */
    public record Records(
            EventRing events, ApiCallLog calls, Supplier<Troubles.Found> troubles, LeaseHistory history) {}

    /**
     * Explains whatever the words name.
     *
     * @param what trimmed, not empty
     * @param anew whether the cloud is asked anew
     * @return never fails for want of a source: the answer names what could not be asked
     */
    public CompletionStage<Answer> explain(String what, boolean anew) {
        Patience patience = anew ? Patience.ANEW : Patience.IN_PASSING;
        // beside the sources, which take their time, too
        CompletableFuture<List<CheckFinding>> findings = Stages.call(plugins.findings()::get)
                .toCompletableFuture()
                .completeOnTimeout(List.of(), PLUGINS.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(failure -> List.of());
        PluginWords words = plugins.granted().get();
        return comparing
                .lookFor(patience, first -> {
                    List<Subject> subjects = new NameResolver(context(first, List.of(), words)).of(what);
                    return difference -> subjects.stream().anyMatch(subject -> subject.fits(difference));
                })
                .thenComposeAsync(
                        outcome -> decided(what, context(outcome.snapshot(), outcome.differences(), words)),
                        comparing.onward())
                .thenCombine(findings, (context, found) -> context.with(found))
                .thenComposeAsync(context -> answer(what, context), comparing.onward());
    }

    /** The same, with what the next garbage collection makes of the leases of what is named. */
    private CompletableFuture<ExplainContext> decided(String what, ExplainContext context) {
        List<Subject> subjects = new NameResolver(context).named(what).first();
        List<OwnerKey> owners = Stream.concat(
                        context.leases()
                                .filter(lease -> subjects.stream().anyMatch(subject -> concerns(lease, subject)))
                                .map(Lease::owner),
                        context.claims()
                                .flatMap(claim -> claim.owner().stream())
                                .filter(owner -> subjects.stream()
                                        .anyMatch(subject -> subject.owner().equals(Optional.of(owner))
                                                || subject.addresses().stream()
                                                        .anyMatch(host -> claimed(context, host, owner)))))
                .distinct()
                .toList();
        Map<OwnerKey, OrphanDecision> decisions = new ConcurrentHashMap<>();
        return CompletableFuture.allOf(owners.stream()
                        .map(owner -> Stages.call(() -> decide.apply(owner))
                                .exceptionally(error -> context.podGone(owner)
                                        .map(gone -> new OrphanDecision.Spared(
                                                "it could not be made sure that the pod is gone: "
                                                        + Stages.cause(error).getMessage(),
                                                Optional.empty())))
                                .thenAccept(made -> made.ifPresent(decision -> decisions.put(owner, decision))))
                        .toArray(CompletableFuture[]::new))
                .thenApply(done -> context.with(decisions));
    }

    private static boolean claimed(ExplainContext context, String host, OwnerKey owner) {
        return context.plugins().holder(host).flatMap(ServedClaim::owner).equals(Optional.of(owner));
    }

    private static boolean concerns(Lease lease, Subject subject) {
        return switch (subject.kind()) {
            case ADDRESS -> Statement.hosts(lease.resource()).contains(subject.name());
            case POD, CONTAINER -> subject.pod().equals(Optional.of(lease.pod()));
            case ENI -> false;
        };
    }

    private ExplainContext context(Snapshot snapshot, List<Difference> differences, PluginWords words) {
        return new ExplainContext(
                snapshot,
                differences,
                records.events().after(0),
                records.calls().calls(),
                Map.of(),
                words,
                records.troubles().get().troubles());
    }

    private CompletableFuture<Answer> answer(String what, ExplainContext context) {
        NameResolver names = new NameResolver(context);
        NameResolver.Named named = names.named(what);
        List<Subject> subjects = named.first();
        Optional<Subject> address = subjects.stream()
                .filter(subject -> subject.kind() == Kind.ADDRESS)
                .findFirst();
        return address.map(subject -> elsewhere(subject, context))
                .orElseGet(() -> CompletableFuture.completedFuture(Elsewhere.UNKNOWN))
                // not where the cloud's answer comes in, nor on the one thread that all deadlines pass on
                .thenApplyAsync(
                        elsewhere -> {
                            List<Explanation> things = subjects.stream()
                                    .flatMap(subject -> condition(subject, context, elsewhere.holders())
                                            .map(condition -> condition.with(findings(subject, context)))
                                            .map(condition -> explanation(subject, condition, context))
                                            .stream())
                                    .toList();
                            List<Explanation> all = things.isEmpty()
                                    ? new PastExplanation(context, what, records.history())
                                            .explain().stream()
                                                    .map(past -> explanation(past.subject(), past.condition(), context))
                                                    .toList()
                                    : things;
                            boolean unknown = all.isEmpty();
                            return new Answer(
                                    what,
                                    context.snapshot().at(),
                                    all,
                                    named.more(),
                                    unknown
                                            ? looked(context, address.map(Subject::name), elsewhere.silence())
                                            : List.of(),
                                    unknown
                                            ? NearestName.of(what, names.all()).stream()
                                                    .toList()
                                            : List.of());
                        },
                        comparing.onward());
    }

    /** What the cloud says of who has an address. */
    private record Elsewhere(List<ObservedEni> holders, Optional<String> silence) {
        static final Elsewhere UNKNOWN = new Elsewhere(List.of(), Optional.empty());

        static Elsewhere silent(Throwable failure) {
            Throwable cause = Stages.cause(failure);
            return new Elsewhere(
                    List.of(),
                    Optional.of(
                            cause instanceof TimeoutException
                                    ? "no answer within " + HOLDERS.toSeconds() + " s"
                                    : String.valueOf(cause.getMessage())));
        }
    }

    /** Who has an address of this node's ranges that this node has not; none if the cloud does not answer in time. */
    private CompletableFuture<Elsewhere> elsewhere(Subject subject, ExplainContext context) {
        boolean here = context.entries(subject.name()).findAny().isPresent()
                || context.seen().anyMatch(eni -> eni.addresses().contains(subject.name()));
        Optional<String> vswitch = context.vswitchOf(subject.name()).map(CloudInspector.ObservedVSwitch::id);
        Optional<CloudInspector> witness = cloud.get();
        if (here || vswitch.isEmpty() || witness.isEmpty()) {
            return CompletableFuture.completedFuture(Elsewhere.UNKNOWN);
        }
        return holders.of(witness.get(), vswitch.get(), subject.name())
                .orTimeout(HOLDERS.toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(told -> new Elsewhere(told, Optional.empty()))
                .exceptionally(Elsewhere::silent);
    }

    private static Optional<Explanation.Condition> condition(
            Subject subject, ExplainContext context, List<ObservedEni> holders) {
        return switch (subject.kind()) {
            case ADDRESS -> new AddressExplanation(context, subject.name()).explain(holders);
            case POD, CONTAINER ->
                Optional.of(new PodExplanation(context, subject.pod().orElseThrow(), subject.owner()).explain());
            case ENI -> new EniExplanation(context, subject.name()).explain();
        };
    }

    private static Explanation explanation(Subject subject, Explanation.Condition condition, ExplainContext context) {
        List<Difference> differences =
                context.differences().stream().filter(subject::fits).toList();
        String eni = subject.kind() == Kind.ENI
                ? subject.name()
                : condition.location().eni();
        return new Explanation(
                subject.kind().name(),
                subject.name(),
                condition,
                context.summaries(subject, differences),
                differences,
                context.operations()
                        .filter(entry -> concerns(entry, subject, eni))
                        .toList(),
                context.calls().stream()
                        .filter(call -> subject.kind() == Kind.ENI && about(call, eni))
                        .limit(CALLS)
                        .toList(),
                recent(subject, condition, context));
    }

    /** What checks of plugins found about a thing. */
    private static List<String> findings(Subject subject, ExplainContext context) {
        Set<String> names = new HashSet<>(subject.addresses());
        names.add(subject.name());
        subject.pod().ifPresent(pod -> names.addAll(List.of(pod.toString(), pod.name())));
        subject.owner().ifPresent(owner -> names.addAll(List.of(owner.toString(), owner.containerId())));
        return context.plugins().findings().stream()
                .filter(found -> {
                    String about = found.finding().subject();
                    return names.contains(about) || names.contains(about.replaceFirst("/\\d+$", ""));
                })
                .map(found -> found.finding().severity() + " by check " + found.check() + ": "
                        + found.finding().why()
                        + (found.finding().fix().isEmpty()
                                ? ""
                                : "; " + found.finding().fix()))
                .toList();
    }

    private static boolean concerns(CloudJournal.Entry entry, Subject subject, String eni) {
        CloudOperation operation = entry.operation();
        return switch (subject.kind()) {
            case ENI -> operation.subject().equals(eni);
            case ADDRESS ->
                operation instanceof CloudOperation.Unassign unassign
                        ? unassign.ips().stream().anyMatch(subject.name()::equals)
                        : operation.subject().equals(eni) && !(operation instanceof CloudOperation.Assign);
            default -> false;
        };
    }

    private static boolean about(CloudCall call, String eni) {
        return call.target().equals(eni) || call.target().startsWith(eni + " ");
    }

    private static List<Event> recent(Subject subject, Explanation.Condition condition, ExplainContext context) {
        boolean address = subject.kind() == Kind.ADDRESS;
        Set<String> keys = new HashSet<>();
        keys.add(subject.name());
        condition
                .location()
                .resource()
                .filter(resource -> address)
                .ifPresent(resource -> keys.add(resource.id().value()));
        // an address that has left the pool is still known by the end of its resource's id
        String tail = "/" + subject.name();
        List<Event> all = context.events().stream()
                .filter(event -> Stream.concat(Stream.of(event.subject()), event.attributes().values().stream())
                        .anyMatch(word -> keys.contains(word) || address && word.endsWith(tail)))
                .toList();
        return all.subList(Math.max(0, all.size() - EVENTS), all.size());
    }

    /**
     * Why nothing is known of a thing, and where it was looked for.
     *
     * @param address if it is one
     * @param silence why the cloud does not say which ENI has it, if it was asked and did not answer
     */
    static List<String> looked(ExplainContext context, Optional<String> address, Optional<String> silence) {
        List<String> lines = new ArrayList<>();
        address.ifPresent(ip -> lines.add(range(context, ip, silence)));
        for (SourceReply<?> reply : context.snapshot().replies()) {
            int statements = reply.statements().size();
            lines.add(reply.source() + ": "
                    + switch (reply.state()) {
                        case KNOWN -> statements + (statements == 1 ? " statement" : " statements") + ", none of it";
                        case ABSENT -> "there is none here: " + reply.why();
                        case FAILED -> "did not answer: " + reply.why();
                    });
        }
        if (!context.plugins().claims().isEmpty()) {
            int claims = context.plugins().claims().size();
            lines.add("plugins: " + claims + (claims == 1 ? " grant" : " grants") + ", none of it");
        }
        lines.add("events: the last " + context.events().size() + ", none of it");
        return lines;
    }

    private static String range(ExplainContext context, String ip, Optional<String> silence) {
        List<String> ranges = context.vswitches()
                .map(vswitch -> vswitch.id() + " has " + vswitch.cidr())
                .toList();
        if (ranges.isEmpty()) {
            return ip + " is not here; which ranges this node's addresses come from is not known now";
        }
        return context.vswitchOf(ip)
                .map(vswitch -> ip + " lies in vSwitch " + vswitch.id() + " (" + vswitch.cidr()
                        + "), and "
                        + silence.map(why -> "the cloud does not say now whether an ENI has it: " + why)
                                .orElse("no ENI has it: it is free, or another machine's"))
                .orElseGet(() -> ip + " cannot be of this node: " + String.join(", ", ranges));
    }

    /**
     * @param things what the words name; several if they name several things
     * @param more how many things the words name besides
     * @param looked of an unknown thing: why, as far as is known, and where it was looked for
     * @param nearest of an unknown thing: existing names that look like it
     */
    public record Answer(
            String what, Instant at, List<Explanation> things, int more, List<String> looked, List<String> nearest) {}

    /**
     * Who has an address that is not this node's: the cloud is asked for one address at a time, within the operators' share
     * of the calls, and its answers are kept for a while. Thread-safe; no caller waits for another one's question.
     */
    static final class AddressHolders {
        private static final Duration KEPT = Duration.ofSeconds(30);
        private static final int MOST = 256;
        /** Longer than any answer takes; a question that has none then is given up. */
        private static final Duration PROMISE = Duration.ofMinutes(2);

        private final OperatorQuota share;
        private final TimeSource time;

        /** By address, the oldest first; the one that is under way is the last. */
        @GuardedBy("this")
        private final Map<String, Question> questions = new LinkedHashMap<>();

        @GuardedBy("this")
        private Optional<CompletableFuture<List<ObservedEni>>> underWay = Optional.empty();

        AddressHolders(OperatorQuota share, TimeSource time) {
            this.share = share;
            this.time = time;
        }

        private record Question(long asked, CompletableFuture<List<ObservedEni>> answer) {}

        /** Fails with TRY_AGAIN if no call is allowed now, and as the cloud does; may take as long as the cloud. */
        CompletableFuture<List<ObservedEni>> of(CloudInspector witness, String vswitch, String address) {
            CompletableFuture<List<ObservedEni>> answer = new CompletableFuture<>();
            synchronized (this) {
                long now = time.nanoTime();
                questions
                        .values()
                        .removeIf(known -> known.answer().isDone()
                                && (known.answer().isCompletedExceptionally()
                                        || now - known.asked() >= KEPT.toNanos()));
                Question known = questions.get(address);
                if (known != null) {
                    return known.answer().copy();
                }
                if (underWay.filter(asked -> !asked.isDone()).isPresent()) {
                    return CompletableFuture.failedFuture(new IpamException(
                            ErrorCode.TRY_AGAIN,
                            "asked too often; again in a moment: the cloud is being asked for another address",
                            ""));
                }
                try {
                    share.take(CloudApi.DESCRIBE_NETWORK_INTERFACES, 1);
                } catch (IpamException refusal) {
                    return CompletableFuture.failedFuture(refusal);
                }
                if (questions.size() >= MOST) {
                    questions.remove(questions.keySet().iterator().next());
                }
                questions.put(address, new Question(now, answer));
                underWay = Optional.of(answer);
            }
            // else one that is never answered would keep all others from being put
            answer.orTimeout(PROMISE.toMinutes(), TimeUnit.MINUTES);
            try {
                Stages.call(() -> witness.holders(vswitch, List.of(address))).whenComplete((told, failure) -> {
                    if (failure == null) {
                        answer.complete(told);
                    } else {
                        answer.completeExceptionally(Stages.cause(failure));
                    }
                });
            } catch (Error e) {
                answer.completeExceptionally(e);
            }
            return answer.copy();
        }
    }
}
