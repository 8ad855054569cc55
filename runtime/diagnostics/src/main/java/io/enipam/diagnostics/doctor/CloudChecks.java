package io.enipam.diagnostics.doctor;

import io.enipam.aliyun.api.ErrorReactions;
import io.enipam.aliyun.calls.ApiCallLog.ApiQuotaStatus;
import io.enipam.aliyun.calls.ApiCallLog.CloudCall;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.engine.port.CloudJournal;
import io.enipam.engine.port.ResourceDb.Intent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The calls of the cloud: their results, their budgets, their keys, and the metadata service. */
public final class CloudChecks {
    /** A call has 20 s, and an ENI on its way a minute before it is called stuck. */
    private static final Duration OVERDUE = Duration.ofMinutes(10);

    private CloudChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "api-budget-low",
                        "An API's calls of this minute are nearly used up",
                        Severity.WARN,
                        "The budget of each API. WARN if more than 80 percent of the calls that this minute allows"
                                + " are used, or none is left.",
                        "What is beyond the budget waits for the next minute, and pods with it.",
                        "ecs budget; ecs calls; raise rate_limit if the account allows it",
                        CloudChecks::apiBudgetLow),
                new Check(
                        "api-throttled",
                        "The cloud throttles this node",
                        Severity.WARN,
                        "The budget of each API. WARN while an API may not be called because the cloud has throttled"
                                + " it, or while throttling has left it less than half of its limit.",
                        "The account's quota is shared by all its nodes; while it lasts, addresses are made late or"
                                + " not at all.",
                        "ecs budget; lower rate_limit on all nodes, or have the quota raised; keep more in stock with"
                                + " pool.min_idle",
                        CloudChecks::apiThrottled),
                new Check(
                        "cloud-refuses",
                        "The cloud refuses what this node asks",
                        Severity.CRITICAL,
                        "The calls of the last ten minutes. CRITICAL if the keys are refused or RAM forbids an"
                                + " action, unless the same API has worked since; WARN if half of the calls, and at"
                                + " least five, failed in whatever way.",
                        "Nothing can be made or given back with keys that are refused; a high rate of failures makes"
                                + " every pod wait.",
                        "ecs calls --failed; check the RAM policy, the keys (config show | grep 'access|credential')"
                                + " and the quotas of the account",
                        CloudChecks::cloudRefuses),
                new Check(
                        "cloud-unreachable",
                        "The cloud does not answer",
                        Severity.CRITICAL,
                        "Why the cloud cannot be used, if the daemon knows, and the calls of the last five minutes."
                                + " CRITICAL if it cannot be used, or the last three calls or more got no answer: no"
                                + " connection, a timeout, an error of the server.",
                        "No address can be made or given back. Pods start as long as idle addresses last, and DEL"
                                + " goes on.",
                        "ecs calls --failed; check DNS, the route and the security group of this node towards the API"
                                + " endpoint",
                        CloudChecks::cloudUnreachable),
                new Check(
                        "credentials-expiring",
                        "The keys to the cloud end soon",
                        Severity.CRITICAL,
                        "What calls are signed with. WARN if it ends within ten minutes and nothing newer has come,"
                                + " CRITICAL if it has ended or there is nothing. Keys of the RAM role are renewed 20"
                                + " minutes before their end, so less than ten means that renewing fails.",
                        "Without keys nothing can be made or given back.",
                        "check the metadata service and the RAM role of the instance, or the writer of the file of credential_path",
                        CloudChecks::keysExpiring),
                new Check(
                        "metadata-unreachable",
                        "The metadata service does not answer",
                        Severity.CRITICAL,
                        "The metadata service, asked now for the instance. WARN if it does not answer, CRITICAL if it"
                                + " names another instance.",
                        "The keys of the RAM role come from it, and a restart needs it. An address that belongs to"
                                + " another instance must not be used here.",
                        "curl http://100.100.100.200/latest/meta-data/instance-id; check routes and firewall rules of"
                                + " 100.100.100.200",
                        CloudChecks::metadataUnreachable),
                new Check(
                        "operation-overdue",
                        "Something was begun in the cloud and has no end",
                        Severity.WARN,
                        "Intentions and open operations in the database, looked at twice. WARN for those older than"
                                + " ten minutes.",
                        "A call whose outcome is unknown may have made something that costs and is not used.",
                        "ecs calls --failed; db dump --bucket operations",
                        CloudChecks::pendingTooLong));
    }

    private static Outcome apiBudgetLow(Facts facts) {
        return Outcome.each(
                facts.the(CloudCalls.class).budgets().stream()
                        .filter(api -> api.quota().inhibitedUntil().isEmpty()
                                && api.quota().used() * 100L > api.quota().allowed() * 80)
                        .map(api -> new Evidence(
                                api.api(),
                                api.quota().used() + " of " + api.quota().allowed() + " calls are used, "
                                        + api.quota().left() + " left",
                                "cloud calls")),
                Severity.WARN,
                n -> Figures.count(n, "API") + " with hardly a call left this minute",
                "every API has calls left");
    }

    private static Outcome apiThrottled(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        for (ApiQuotaStatus api : facts.the(CloudCalls.class).budgets()) {
            if (api.quota().inhibitedUntil().isPresent()) {
                Duration left = Duration.between(
                        facts.now(), api.quota().inhibitedUntil().get());
                evidence.add(new Evidence(
                        api.api(),
                        "may not be called for " + Figures.span(left.isNegative() ? Duration.ZERO : left),
                        "cloud calls"));
            } else if (api.quota().allowed() * 2 < api.quota().limit() && api.throttles() > 0) {
                evidence.add(new Evidence(
                        api.api(),
                        api.quota().allowed() + " calls a minute are left of "
                                + api.quota().limit() + " after throttling",
                        "cloud calls"));
            }
        }
        return Outcome.unless(
                evidence, Severity.WARN, Figures.count(evidence.size(), "API") + " throttled", "no API is throttled");
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
            return Outcome.of(
                    Severity.CRITICAL,
                    "the cloud refuses "
                            + Figures.list(refused.stream()
                                    .map(CloudCall::api)
                                    .distinct()
                                    .toList()),
                    refused.stream().limit(5).map(CloudChecks::failedCall).toList());
        }
        List<CloudCall> failed = recent.stream().filter(CloudCall::failed).toList();
        boolean many = failed.size() >= 5 && failed.size() * 2 >= recent.size();
        return many
                ? Outcome.of(
                        Severity.WARN,
                        failed.size() + " of the last " + recent.size() + " calls failed",
                        failed.stream().limit(5).map(CloudChecks::failedCall).toList())
                : Outcome.ok(failed.size() + " of " + Figures.count(recent.size(), "call")
                        + " failed in the last ten minutes");
    }

    private static boolean isRefusal(String code) {
        return code.startsWith("Forbidden")
                || code.startsWith("InvalidAccessKey")
                || code.startsWith("InvalidSecurityToken")
                || code.startsWith("InvalidTimeStamp")
                || code.equals("SignatureDoesNotMatch")
                || code.equals(ErrorReactions.NO_CREDENTIALS);
    }

    /** Whether no call of the same API has worked after it. */
    private static boolean noneWorkedSince(CloudCall refused, List<CloudCall> recent) {
        return recent.stream()
                .noneMatch(call ->
                        !call.failed() && call.api().equals(refused.api()) && call.sequence() > refused.sequence());
    }

    private static Evidence failedCall(CloudCall call) {
        return new Evidence(
                call.api(),
                call.code() + (call.requestId().isEmpty() ? "" : ", request " + call.requestId()),
                "cloud calls",
                call.at());
    }

    private static Outcome cloudUnreachable(Facts facts) {
        CloudCalls calls = facts.the(CloudCalls.class);
        if (!calls.used()) {
            return Outcome.skipped("no address of this node comes from the cloud");
        }
        if (calls.trouble().isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "the cloud cannot be used: " + calls.trouble().get(),
                    new Evidence("cloud", calls.trouble().get(), "daemon"));
        }
        List<CloudCall> recent = calls.calls().stream()
                .filter(call ->
                        call.attempts() > 0 && call.at().isAfter(facts.now().minus(Duration.ofMinutes(5))))
                .toList();
        List<CloudCall> unanswered =
                recent.stream().takeWhile(call -> unanswered(call.code())).toList();
        return unanswered.size() < 3
                ? Outcome.ok("the last calls were answered")
                : Outcome.of(
                        Severity.CRITICAL,
                        "the last " + unanswered.size() + " calls got no answer",
                        unanswered.stream()
                                .limit(5)
                                .map(CloudChecks::unansweredCall)
                                .toList());
    }

    /** What the client, a proxy or the server's other end says, and no API ever would. */
    static boolean unanswered(String code) {
        return code.startsWith("SDK.") || code.equals("InternalError") || code.equals("ServiceUnavailable");
    }

    private static Evidence unansweredCall(CloudCall call) {
        return new Evidence(
                call.api(),
                call.code() + " after " + Figures.count(call.attempts(), "attempt"),
                "cloud calls",
                call.at());
    }

    private static Outcome keysExpiring(Facts facts) {
        CloudKeys keys = facts.the(CloudKeys.class);
        if (keys.trouble().isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    "there are no keys: " + keys.trouble().get(),
                    new Evidence("keys", keys.trouble().get(), "daemon"));
        }
        if (keys.expires().isEmpty()) {
            return Outcome.ok("the keys of " + keys.place() + " do not end");
        }
        Duration left = Duration.between(facts.now(), keys.expires().get());
        Evidence evidence = new Evidence(
                "keys", "of " + keys.place() + ", good until " + keys.expires().get(), "daemon");
        if (left.isNegative()) {
            return Outcome.of(Severity.CRITICAL, "the keys ended " + Figures.span(left) + " ago", evidence);
        }
        return left.compareTo(Duration.ofMinutes(10)) < 0
                ? Outcome.of(Severity.WARN, "the keys end in " + Figures.span(left) + " and were not renewed", evidence)
                : Outcome.ok("the keys are good for " + Figures.span(left));
    }

    private static Outcome metadataUnreachable(Facts facts) {
        MetadataReply metadata = facts.the(MetadataReply.class);
        if (metadata.trouble().isPresent()) {
            return Outcome.of(
                    Severity.WARN,
                    "the metadata service does not answer",
                    new Evidence("metadata service", metadata.trouble().get(), "metadata"));
        }
        return metadata.instance().equals(metadata.expected())
                ? Outcome.ok("it answers, and this is " + metadata.instance())
                : Outcome.of(
                        Severity.CRITICAL,
                        "the metadata service says that this is another instance",
                        new Evidence(
                                "instance",
                                metadata.instance() + ", and the daemon is of " + metadata.expected(),
                                "metadata"));
    }

    private static Outcome pendingTooLong(Facts facts) {
        UnfinishedWork pending = facts.the(UnfinishedWork.class);
        Instant old = facts.now().minus(OVERDUE);
        List<Evidence> evidence = new ArrayList<>();
        pending.intents().stream()
                .filter(intent -> intent.since().isBefore(old))
                .forEach(intent -> evidence.add(new Evidence(
                        intent.token(), "a " + intent.action() + " was begun", "database", intent.since())));
        pending.operations().stream()
                .filter(entry -> entry.since().isBefore(old))
                .forEach(entry -> evidence.add(new Evidence(
                        entry.operation().subject(),
                        "a call to " + entry.operation().name() + " was begun",
                        "database",
                        entry.since())));
        return Outcome.unless(
                evidence,
                Severity.WARN,
                Figures.count(evidence.size(), "operation") + " without an end",
                "nothing was begun that has no end");
    }

    /**
     * How the cloud was asked, and answered.
     *
     * @param calls the last ones, the latest first
     * @param trouble why the cloud cannot be used now, if so
     * @param used whether this node needs it at all
     */
    public record CloudCalls(
            List<ApiQuotaStatus> budgets, List<CloudCall> calls, Optional<String> trouble, boolean used) {
        public CloudCalls {
            budgets = List.copyOf(budgets);
            calls = List.copyOf(calls);
        }
    }

    /**
     * What calls of the cloud are signed with, without the keys.
     *
     * @param place where they come from
     * @param expires when they end, if they do
     * @param trouble why there are none, if so
     */
    public record CloudKeys(String place, Optional<Instant> expires, Optional<String> trouble) {}

    /**
     * The metadata service, asked now.
     *
     * @param instance what it says this is
     * @param expected the instance this daemon is of
     * @param trouble why it does not answer, if so
     */
    public record MetadataReply(String instance, String expected, Optional<String> trouble) {}

    /** What was begun and whose end is not known, in two looks a moment apart. */
    public record UnfinishedWork(List<Intent> intents, List<CloudJournal.Entry> operations) {
        public UnfinishedWork {
            intents = List.copyOf(intents);
            operations = List.copyOf(operations);
        }
    }
}
