package io.enipam.shell.cloud;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.CloudFault;
import io.enipam.v1.FailCall;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.RemoveCloudFaultReply;
import io.enipam.v1.ResetCloudReply;
import io.enipam.v1.TearAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The cloud: what the node asked of it, and of an emulated one what goes wrong in it and what was done to it. */
final class CloudViews {
    private static final int WIDEST_TARGET = 40;

    private CloudViews() {}

    static final TableListing<CloudFault> FAULTS = TableListing.<CloudFault>of(
                    "faults", fault -> Long.toString(fault.getId()))
            .none(
                    "no fault is set up",
                    "; try: cloud fault add AssignPrivateIpAddresses --percent 20 --code Throttling.User")
            .number("id", "ID", CloudFault::getId)
            .text("call", "CALL", CloudFault::getApi)
            .text("eni", "ENI", CloudFault::getEni)
            .text("when", "WHEN", CloudViews::when)
            .text("what", "WHAT", CloudViews::effect)
            .flowing()
            .number("seen", "SEEN", CloudFault::getSeen)
            .number("acted", "ACTED", CloudFault::getApplied)
            .build();

    /** What else is not as it was at the start. */
    static List<String> conditions(GetCloudReply reply) {
        List<String> lines = new ArrayList<>();
        if (!reply.getLatency().equals("none")) {
            lines.add(Palette.clean("latency: " + reply.getLatency()));
        }
        if (!reply.getThrottle().equals("off")) {
            lines.add(Palette.clean("calls a minute: " + reply.getThrottle()));
        }
        long ahead = reply.getClockAhead().getSeconds();
        if (ahead != 0) {
            lines.add(clock(ahead));
        }
        if (reply.getStuckEnisCount() > 0) {
            lines.add(Palette.clean("stuck: " + String.join(", ", reply.getStuckEnisList())));
        }
        return lines;
    }

    static List<String> added(CloudFault fault, RenderContext look) {
        return List.of(sentence("fault " + fault.getId() + " is in force: ", fault));
    }

    static List<String> removed(RemoveCloudFaultReply reply, RenderContext look) {
        if (reply.getRemovedCount() == 0) {
            return List.of("no fault is set up, so there was nothing to remove");
        }
        return reply.getRemovedList().stream()
                .map(fault -> sentence("fault " + fault.getId() + " is gone: ", fault) + "; it acted on "
                        + fault.getApplied() + " of " + Table.counted(fault.getSeen(), "call"))
                .toList();
    }

    private static String sentence(String start, CloudFault fault) {
        String eni = fault.getEni().isEmpty() ? "" : " on " + fault.getEni();
        return Palette.clean(start + fault.getApi() + eni + ", " + when(fault) + ": " + effect(fault));
    }

    static List<String> latency(GetCloudReply reply, RenderContext look) {
        String line = Palette.clean("latency: " + reply.getLatency());
        return List.of(reply.getLatency().equals("none") ? look.withAdvice(line, "; try: cloud latency real") : line);
    }

    static List<String> throttle(GetCloudReply reply, RenderContext look) {
        return List.of(look.withAdvice(
                Palette.clean("calls a minute: " + reply.getThrottle()), "; try: cloud throttle default"));
    }

    static List<String> changed(String what, String to, String from) {
        return List.of(Palette.clean(what + ": " + to + " (was: " + from + ")"));
    }

    static List<String> reset(ResetCloudReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>();
        int faults = reply.getRemovedCount();
        lines.add(Palette.clean((faults == 1 ? "1 fault is" : faults + " faults are") + " gone; latency: "
                + reply.getLatency() + ", calls a minute: " + reply.getThrottle() + "; the clock is right"));
        if (reply.getReleasedEnisCount() > 0) {
            lines.add(Palette.clean("let go: " + String.join(", ", reply.getReleasedEnisList())));
        }
        return lines;
    }

    static String taken(ActOnCloudReply reply) {
        return reply.getIp() + " is taken off " + reply.getEni() + "; the daemon was not told";
    }

    static String stuck(ActOnCloudReply reply) {
        String later = " as soon as it is attached, detached or deleted (fault " + reply.getWaitingFault() + ")";
        return reply.getEni() + " sticks" + (reply.getWaitingFault() == 0 ? " where it is" : later);
    }

    static List<String> clock(GetCloudReply reply, RenderContext look) {
        String clock = clock(reply.getClockAhead().getSeconds());
        return List.of(look.withAdvice(clock, "; try: cloud skew 20m --behind"));
    }

    static String clock(long ahead) {
        String wrong = Math.abs(ahead) + " s " + (ahead > 0 ? "ahead" : "behind");
        return "the cloud's clock: " + (ahead == 0 ? "right" : wrong);
    }

    static List<String> ids(List<CloudFault> faults) {
        return faults.stream().map(FAULTS::name).toList();
    }

    private static String when(CloudFault fault) {
        String when = switch (fault.getWhenCase()) {
            case NTH -> "call " + fault.getNth();
            case EVERY -> "every " + fault.getEvery() + " calls";
            case PERCENT -> percent(fault.getPercent());
            case WHEN_NOT_SET -> "always";
        };
        int most = fault.getAtMost();
        return when + (most == 0 ? "" : most == 1 ? ", once" : ", " + most + " times");
    }

    private static String percent(double percent) {
        return (percent == Math.rint(percent) ? Long.toString(Math.round(percent)) : Double.toString(percent)) + " %";
    }

    private static String effect(CloudFault fault) {
        boolean again = fault.getStick().getUntilReissued();
        return switch (fault.getEffectCase()) {
            case FAIL -> {
                FailCall fail = fault.getFail();
                String done = fail.getAfterWork() ? " once it is done" : "";
                yield "fails with " + fail.getCode() + " (" + fail.getHttpStatus() + ")" + done;
            }
            case DELAY -> "takes " + TimeFormat.took(fault.getDelay()) + " longer";
            case DROP -> fault.getDrop().getAfterWork() ? "is done, the answer is lost" : "is lost, nothing is done";
            case TEAR -> torn(fault.getTear());
            case STICK -> "the ENI sticks until " + (again ? "the call is made again" : "it is released");
            case THROTTLE -> "is throttled until the next minute";
            case EFFECT_NOT_SET -> "nothing";
        };
    }

    private static String torn(TearAnswer tear) {
        String place = switch (tear.getAt()) {
            case "start" -> " at its start";
            case "elsewhere" -> " outside of strings";
            default -> " in a string";
        };
        return "is done, the answer is cut" + place + (tear.getHidden() ? " as if it were whole" : "");
    }

    /** Calls of the cloud, the latest first; the name of one is the cloud's id of the request. */
    static final TableListing<CloudCall> CALLS =
            calls("the cloud has not been called yet", "; the first pod makes it: cni add --pod a/b");

    /** The same, where only some of them were asked for. */
    static final TableListing<CloudCall> SOME_CALLS = calls("no such call is remembered", "; all of them: ecs calls");

    private static TableListing<CloudCall> calls(String none, String advice) {
        return TableListing.<CloudCall>of("calls", CloudCall::getRequestId)
                .none(none, advice)
                .clock("time", "TIME", CloudCall::getAt, Tone.PLAIN)
                .text("api", "API", CloudCall::getApi)
                .shown("target", "TARGET", CloudCall::getTarget, CloudViews::target)
                .took("took", "TOOK", CloudCall::getTook, call -> true)
                .number("tries", "TRIES", CloudCall::getAttempts)
                .toned("code", "CODE", CloudCall::getCode, call -> Tone.BAD)
                .text("request", "REQUEST", CloudCall::getRequestId)
                .wideNumber("sequence", "NUMBER", CloudCall::getSequence)
                .build();
    }

    private static Table.Cell target(CloudCall call, RenderContext look) {
        return Table.cell(Table.clipped(call.getTarget(), WIDEST_TARGET));
    }

    static final TableListing<CloudApiBudget> BUDGET = TableListing.<CloudApiBudget>of("apis", CloudApiBudget::getApi)
            .none("no API is limited", "")
            .text("api", "API", CloudApiBudget::getApi)
            .number("limit", "LIMIT", CloudApiBudget::getLimit)
            .number("allowed", "ALLOWED", CloudApiBudget::getAllowed, CloudViews::allowed)
            .number("used", "USED", CloudApiBudget::getUsed)
            .number("left", "LEFT", CloudApiBudget::getLeft, api -> api.getLeft() == 0 ? Tone.BAD : Tone.PLAIN)
            .number("calls", "CALLS", CloudApiBudget::getCalls)
            .count("errors", "ERRORS", CloudViews::errors, Tone.WAIT)
            .count("throttled", "THROTTLED", CloudApiBudget::getThrottles, Tone.WAIT)
            .took("p50", "P50", CloudApiBudget::getP50, CloudViews::called)
            .took("p99", "P99", CloudApiBudget::getP99, CloudViews::called)
            .took("max", "MAX", CloudApiBudget::getMax, CloudViews::called)
            .left("inhibited", "INHIBITED", CloudApiBudget::getInhibitedUntil, Tone.BAD)
            .build();

    private static Tone allowed(CloudApiBudget api) {
        return api.getAllowed() < api.getLimit() ? Tone.WAIT : Tone.PLAIN;
    }

    static List<String> failures(List<CloudApiBudget> apis, RenderContext look) {
        Table errors = Table.details();
        apis.forEach(api -> errors.detailIfAny(api.getApi(), codes(api)));
        List<String> lines = new ArrayList<>();
        Table.section(lines, errors.lines(look));
        return lines;
    }

    private static long errors(CloudApiBudget api) {
        return api.getErrorsList().stream().mapToLong(error -> error.getCount()).sum();
    }

    private static boolean called(CloudApiBudget api) {
        return api.getCalls() > 0;
    }

    private static String codes(CloudApiBudget api) {
        return api.getErrorsList().stream()
                .map(error -> error.getCode() + " " + error.getCount())
                .collect(Collectors.joining(", "));
    }
}
