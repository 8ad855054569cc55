package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.list;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.ok;
import static io.enipam.diagnostics.doctor.Outcome.skipped;

import io.enipam.aliyun.CloudProbe.VSwitchRoom;
import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.sources.NodeSources.KnownEnis;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.EniSweeper;
import io.enipam.engine.port.ResourceDb.Intent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The cloud: its calls, budgets, keys and metadata service, this node's ENIs and their vSwitches. */
public final class CloudChecks {
    /** A call has 20 s, and an ENI on its way a minute before it is called stuck. */
    private static final Duration OVERDUE = Duration.ofMinutes(10);
    /** The factory itself calls it stuck after one minute. */
    private static final Duration STUCK_AFTER = Duration.ofMinutes(3);

    private static final Set<String> PASSING_STATES = Set.of("Creating", "Attaching", "Detaching", "Deleting");
    private static final int FEW_ADDRESSES = 20;
    private static final int CALLS_SHOWN = 5;

    static final List<Check> ALL = List.of(
            Check.of("api-budget-low", WARN, "An API's calls of this minute are nearly used up")
                    .reads("The budget of each API. WARN if more than 80 percent of the calls that this minute allows"
                            + " are used, or none is left.")
                    .because("What is beyond the budget waits for the next minute, and pods with it.")
                    .advice("ecs budget; ecs calls; raise rate_limit if the account allows it")
                    .by(CloudChecks::apiBudgetLow),
            Check.of("api-throttled", WARN, "The cloud throttles this node")
                    .reads("The budget of each API. WARN while an API may not be called because the cloud has throttled"
                            + " it, or while throttling has left it less than half of its limit.")
                    .because("The account's quota is shared by all its nodes; while it lasts, addresses are made late"
                            + " or not at all.")
                    .advice("ecs budget; lower rate_limit on all nodes, or have the quota raised; keep more in stock"
                            + " with pool.min_idle")
                    .by(CloudChecks::apiThrottled),
            Check.of("cloud-refuses", CRITICAL, "The cloud refuses what this node asks")
                    .reads("The calls of the last ten minutes. CRITICAL if the keys are refused or RAM forbids an"
                            + " action, unless the same API has worked since; WARN if half of the calls, and at least"
                            + " five, failed in whatever way.")
                    .because("Nothing can be made or given back with keys that are refused; a high rate of failures"
                            + " makes every pod wait.")
                    .advice("ecs calls --failed; check the RAM policy, the keys (config show | grep"
                            + " 'access|credential') and the quotas of the account")
                    .by(CloudChecks::cloudRefuses),
            Check.of("cloud-unreachable", CRITICAL, "The cloud does not answer")
                    .reads("Why the cloud cannot be used, if the daemon knows, and the calls of the last five minutes."
                            + " CRITICAL if it cannot be used, or the last three calls or more got no answer: no"
                            + " connection, a timeout, an error of the server.")
                    .because("No address can be made or given back. Pods start as long as idle addresses last, and DEL"
                            + " goes on.")
                    .advice("ecs calls --failed; check DNS, the route and the security group of this node towards the"
                            + " API endpoint")
                    .by(CloudChecks::cloudUnreachable),
            Check.of("credentials-expiring", CRITICAL, "The keys to the cloud end soon")
                    .reads("What calls are signed with. WARN if it ends within ten minutes and nothing newer has come,"
                            + " CRITICAL if it has ended or there is nothing. Keys of the RAM role are renewed 20"
                            + " minutes before their end, so less than ten means that renewing fails.")
                    .because("Without keys nothing can be made or given back.")
                    .advice("check the metadata service and the RAM role of the instance, or the writer of the file of"
                            + " credential_path")
                    .by(CloudChecks::keysExpiring),
            Check.of("metadata-unreachable", CRITICAL, "The metadata service does not answer")
                    .reads("The metadata service, asked now for the instance. WARN if it does not answer, CRITICAL if"
                            + " it names another instance.")
                    .because("The keys of the RAM role come from it, and a restart needs it. An address that belongs to"
                            + " another instance must not be used here.")
                    .advice("curl http://100.100.100.200/latest/meta-data/instance-id; check routes and firewall rules"
                            + " of 100.100.100.200")
                    .by(CloudChecks::metadataUnreachable),
            Check.of("operation-overdue", WARN, "Something was begun in the cloud and has no end")
                    .reads("Intentions and open operations in the database, looked at twice. WARN for those older than"
                            + " ten minutes.")
                    .because("A call whose outcome is unknown may have made something that costs and is not used.")
                    .advice("ecs calls --failed; db dump --bucket operations")
                    .by(CloudChecks::pendingTooLong),
            Check.of("eni-backlog", WARN, "Too many requests wait for one ENI")
                    .reads("The queue of requests for addresses at each ENI. WARN from 10 on, which is where terway"
                            + " stops taking more.")
                    .because("Each waits for a call of the cloud; the last ones will run into their deadlines.")
                    .advice("ecs budget; ecs calls")
                    .by(CloudChecks::eniBacklog),
            Check.of("eni-leaked", WARN, "An ENI of this node is unknown here")
                    .reads("A dry run of the sweep: ENIs with this node's tags that are in no book here. WARN for those"
                            + " a sweep would delete, INFO for those that are too young or hang on something.")
                    .because("It costs quota and addresses of the vSwitch, and once attached a slot of the instance.")
                    .advice("eni sweep --dry-run; eni sweep")
                    .repairedBy(Repair.SWEEP)
                    .by(CloudChecks::leakedEnis),
            Check.of("eni-stuck", WARN, "An ENI does not come to its end")
                    .reads("The ENIs in the book. WARN if one is Stuck, or Creating, Attaching, Detaching or Deleting"
                            + " for more than three minutes.")
                    .because("It keeps its slot of the instance, so the node has room for fewer pods. The daemon asks"
                            + " again every 30 s; what stays stuck for long, only the cloud can free.")
                    .advice("eni show ENI; ecs calls --failed; a ticket to the cloud with the request id if it lasts")
                    .by(CloudChecks::stuckEnis),
            Check.of("vswitch-low", CRITICAL, "A vSwitch has few addresses left, or none")
                    .reads("The vSwitches of this node's zone, counted by the cloud now. WARN for one that has fewer"
                            + " than 20 free addresses, has none, or cannot be used; CRITICAL if there is none left"
                            + " with free addresses.")
                    .because("An ENI takes its addresses from its vSwitch for ever: when it is empty, its ENIs get no"
                            + " more, and a new one needs another vSwitch.")
                    .advice("add a vSwitch of the same zone to vswitches in eni.json, and restart; a restart alone is"
                            + " no help")
                    .by(CloudChecks::vSwitchLow));

    private CloudChecks() {}

    private static Evidence evidence(ApiQuotaStatus api, String seen) {
        return new Evidence(api.api(), seen, "cloud calls");
    }

    private static Outcome apiBudgetLow(Facts facts) {
        return each(
                facts.the(CloudCalls.class).budgets().stream()
                        .filter(api -> api.quota().inhibitedUntil().isEmpty()
                                && api.quota().used() * 100L > api.quota().allowed() * 80)
                        .map(api -> evidence(
                                api,
                                api.quota().used() + " of " + api.quota().allowed() + " calls are used, "
                                        + api.quota().left() + " left")),
                WARN,
                n -> count(n, "API") + " with hardly a call left this minute",
                "every API has calls left");
    }

    private static Outcome apiThrottled(Facts facts) {
        return each(
                facts.the(CloudCalls.class).budgets().stream().flatMap(api -> throttled(api, facts.now()).stream()),
                WARN,
                n -> count(n, "API") + " throttled",
                "no API is throttled");
    }

    private static Optional<Evidence> throttled(ApiQuotaStatus api, Instant now) {
        ApiQuotaStatus.Quota quota = api.quota();
        if (quota.inhibitedUntil().isPresent()) {
            Duration left = Duration.between(now, quota.inhibitedUntil().get());
            left = left.isNegative() ? Duration.ZERO : left;
            return Optional.of(evidence(api, "may not be called for " + span(left)));
        }
        return quota.allowed() * 2 < quota.limit() && api.throttles() > 0
                ? Optional.of(evidence(
                        api, quota.allowed() + " calls a minute are left of " + quota.limit() + " after throttling"))
                : Optional.empty();
    }

    private static Outcome cloudRefuses(Facts facts) {
        Instant since = facts.now().minus(Duration.ofMinutes(10));
        List<CloudCall> recent = facts.the(CloudCalls.class).calls().stream()
                .filter(call -> (call.attempts() > 0 || isRefusal(call.code()))
                        && call.at().isAfter(since))
                .toList();
        List<CloudCall> refused = recent.stream()
                .filter(call -> isRefusal(call.code()) && noneWorkedSince(call, recent))
                .toList();
        if (!refused.isEmpty()) {
            List<String> apis = refused.stream().map(CloudCall::api).distinct().toList();
            return found(CRITICAL, "the cloud refuses " + list(apis), first(refused, CloudChecks::failedCall));
        }
        List<CloudCall> failed = recent.stream().filter(CloudCall::failed).toList();
        return failed.size() >= 5 && failed.size() * 2 >= recent.size()
                ? found(
                        WARN,
                        failed.size() + " of the last " + recent.size() + " calls failed",
                        first(failed, CloudChecks::failedCall))
                : ok(failed.size() + " of " + count(recent.size(), "call") + " failed in the last ten minutes");
    }

    private static boolean isRefusal(String code) {
        return Stream.of("Forbidden", "InvalidAccessKey", "InvalidSecurityToken", "InvalidTimeStamp")
                        .anyMatch(code::startsWith)
                || code.equals("SignatureDoesNotMatch")
                || code.equals(ErrorReactions.NO_CREDENTIALS);
    }

    private static boolean noneWorkedSince(CloudCall refused, List<CloudCall> recent) {
        return recent.stream()
                .noneMatch(call ->
                        !call.failed() && call.api().equals(refused.api()) && call.sequence() > refused.sequence());
    }

    private static List<Evidence> first(List<CloudCall> calls, Function<CloudCall, String> seen) {
        return calls.stream()
                .limit(CALLS_SHOWN)
                .map(call -> new Evidence(call.api(), seen.apply(call), "cloud calls", call.at()))
                .toList();
    }

    private static String failedCall(CloudCall call) {
        return call.code() + (call.requestId().isEmpty() ? "" : ", request " + call.requestId());
    }

    private static Outcome cloudUnreachable(Facts facts) {
        CloudCalls calls = facts.the(CloudCalls.class);
        if (!calls.used()) {
            return skipped("no address of this node comes from the cloud");
        }
        if (calls.trouble().isPresent()) {
            String why = calls.trouble().get();
            return found(CRITICAL, "the cloud cannot be used: " + why, new Evidence("cloud", why, "daemon"));
        }
        Instant since = facts.now().minus(Duration.ofMinutes(5));
        List<CloudCall> unanswered = calls.calls().stream()
                .filter(call -> call.attempts() > 0 && call.at().isAfter(since))
                .takeWhile(call -> unanswered(call.code()))
                .toList();
        return unanswered.size() < 3
                ? ok("the last calls were answered")
                : found(
                        CRITICAL,
                        "the last " + unanswered.size() + " calls got no answer",
                        first(unanswered, call -> call.code() + " after " + count(call.attempts(), "attempt")));
    }

    /** What the client, a proxy or the server's other end says, and no API ever would. */
    static boolean unanswered(String code) {
        return code.startsWith("SDK.") || code.equals("InternalError") || code.equals("ServiceUnavailable");
    }

    private static Outcome keysExpiring(Facts facts) {
        CloudKeys keys = facts.the(CloudKeys.class);
        if (keys.trouble().isPresent()) {
            String why = keys.trouble().get();
            return found(CRITICAL, "there are no keys: " + why, new Evidence("keys", why, "daemon"));
        }
        if (keys.expires().isEmpty()) {
            return ok("the keys of " + keys.place() + " do not end");
        }
        Instant end = keys.expires().get();
        Duration left = Duration.between(facts.now(), end);
        Evidence evidence = new Evidence("keys", "of " + keys.place() + ", good until " + end, "daemon");
        if (left.isNegative()) {
            return found(CRITICAL, "the keys ended " + span(left) + " ago", evidence);
        }
        return left.compareTo(Duration.ofMinutes(10)) < 0
                ? found(WARN, "the keys end in " + span(left) + " and were not renewed", evidence)
                : ok("the keys are good for " + span(left));
    }

    private static Outcome metadataUnreachable(Facts facts) {
        MetadataReply reply = facts.the(MetadataReply.class);
        if (reply.trouble().isPresent()) {
            Evidence evidence = new Evidence("metadata service", reply.trouble().get(), "metadata");
            return found(WARN, "the metadata service does not answer", evidence);
        }
        String seen = reply.instance() + ", and the daemon is of " + reply.expected();
        return reply.instance().equals(reply.expected())
                ? ok("it answers, and this is " + reply.instance())
                : found(
                        CRITICAL,
                        "the metadata service says that this is another instance",
                        new Evidence("instance", seen, "metadata"));
    }

    private static Outcome pendingTooLong(Facts facts) {
        UnfinishedWork pending = facts.the(UnfinishedWork.class);
        Stream<Evidence> intents =
                pending.intents().stream().map(intent -> begun(intent.token(), "a " + intent.action(), intent.since()));
        Stream<Evidence> operations = pending.operations().stream()
                .map(entry -> begun(
                        entry.operation().subject(),
                        "a call to " + entry.operation().name(),
                        entry.since()));
        Instant old = facts.now().minus(OVERDUE);
        return each(
                Stream.concat(intents, operations)
                        .filter(begun -> begun.since().orElseThrow().isBefore(old)),
                WARN,
                n -> count(n, "operation") + " without an end",
                "nothing was begun that has no end");
    }

    private static Evidence begun(String subject, String what, Instant since) {
        return new Evidence(subject, what + " was begun", "database", since);
    }

    private static Outcome eniBacklog(Facts facts) {
        return each(
                facts.the(KnownEnis.class).enis().stream()
                        .filter(eni -> eni.queued() >= 10)
                        .map(eni -> new Evidence(eni.id(), count(eni.queued(), "request") + " wait", "factory")),
                WARN,
                n -> "requests pile up at " + count(n, "ENI"),
                "no requests pile up");
    }

    private static Outcome leakedEnis(Facts facts) {
        EniSweeper.Report report = facts.the(EniSweeper.Report.class);
        long taken =
                report.candidates().stream().filter(EniSweeper.Candidate::taken).count();
        return each(
                report.candidates().stream().map(CloudChecks::leaked),
                taken > 0 ? WARN : INFO,
                n -> taken > 0
                        ? count(taken, "ENI") + " left behind in the cloud"
                        : count(n, "ENI") + " that are unknown here, and that no sweep takes yet",
                "all " + count(report.examined(), "ENI") + " of this node are known");
    }

    private static Evidence leaked(EniSweeper.Candidate eni) {
        String with = " with " + count(eni.addresses().size(), "IP");
        String seen = eni.state() + " in " + eni.vswitch() + with + ": " + eni.reason();
        return new Evidence(eni.id(), seen, "cloud", eni.createdAt());
    }

    private static Outcome stuckEnis(Facts facts) {
        Instant old = facts.now().minus(STUCK_AFTER);
        return each(
                facts.the(KnownEnis.class).enis().stream()
                        .filter(eni -> eni.state().equals("Stuck")
                                || (PASSING_STATES.contains(eni.state())
                                        && eni.since().isBefore(old)))
                        .map(eni -> new Evidence(eni.id(), eni.state(), "factory", eni.since())),
                WARN,
                n -> count(n, "ENI") + " on the way for too long",
                "no ENI is stuck");
    }

    private static Outcome vSwitchLow(Facts facts) {
        List<VSwitchRoom> all = facts.the(VSwitches.class).rooms();
        Predicate<VSwitchRoom> low = one -> !one.usable() || one.available() < FEW_ADDRESSES;
        List<VSwitchRoom> few = all.stream().filter(low).toList();
        String others = list(all.stream()
                .filter(low.negate())
                .map(one -> one.id() + " with " + one.available())
                .toList());
        boolean none = all.stream().noneMatch(one -> one.usable() && one.available() > 0);
        return each(
                few.stream().map(CloudChecks::vSwitch),
                none ? CRITICAL : WARN,
                n -> none
                        ? "no vSwitch of this node has a free address"
                        : "few addresses left in "
                                + list(few.stream().map(VSwitchRoom::id).toList())
                                + (others.isEmpty() ? ", and there is no other" : "; others: " + others),
                "free addresses: " + others);
    }

    private static Evidence vSwitch(VSwitchRoom one) {
        String seen =
                one.usable() ? one.available() + " free in " + one.cidr() + ", zone " + one.zone() : one.problem();
        return new Evidence(one.id(), seen, "cloud");
    }

    /**
     * @param calls the last ones, the latest first
     * @param trouble why the cloud cannot be used now, if so
     * @param used whether this node needs it at all
     */
    public record CloudCalls(
            List<ApiQuotaStatus> budgets, List<CloudCall> calls, Optional<String> trouble, boolean used) {}

    /**
     * What calls of the cloud are signed with, without the keys.
     *
     * @param place where they come from
     * @param expires when they end, if they do
     * @param trouble why there are none, if so
     */
    public record CloudKeys(String place, Optional<Instant> expires, Optional<String> trouble) {}

    /**
     * @param instance what it says this is
     * @param expected the instance this daemon is of
     * @param trouble why it does not answer, if so
     */
    public record MetadataReply(String instance, String expected, Optional<String> trouble) {}

    /** What was begun and whose end is not known, in two looks a moment apart. */
    public record UnfinishedWork(List<Intent> intents, List<CloudJournal.Entry> operations) {}

    /** The vSwitches that ENIs are made in, as the cloud counts them now. */
    public record VSwitches(List<VSwitchRoom> rooms) {}
}
