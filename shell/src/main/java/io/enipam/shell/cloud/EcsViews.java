package io.enipam.shell.cloud;

import com.google.protobuf.Duration;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What the node asks of the cloud. */
public final class EcsViews {
    private static final int WIDEST_TARGET = 40;

    private EcsViews() {}

    /** Calls of the cloud, the latest first; their names are the cloud's of the requests. */
    public static final TableListing<CloudCall> CALLS =
            calls("the cloud has not been called yet", "; the first pod makes it: cni add --pod a/b");

    /** The same, where only some of them were asked for. */
    public static final TableListing<CloudCall> SOME_CALLS =
            calls("no such call is remembered", "; all of them: ecs calls");

    private static TableListing<CloudCall> calls(String none, String advice) {
        return TableListing.<CloudCall>of("calls", CloudCall::getRequestId)
                .none(none, advice)
                .by(
                        "time",
                        "TIME",
                        call -> TimeFormat.millis(call.getAt()),
                        (call, look) -> Table.cell(TimeFormat.clock(call.getAt(), look.zone())))
                .text("api", "API", CloudCall::getApi)
                .shown(
                        "target",
                        "TARGET",
                        CloudCall::getTarget,
                        (call, look) -> Table.cell(Table.clipped(call.getTarget(), WIDEST_TARGET)))
                .by(
                        "took",
                        "TOOK",
                        call -> TimeFormat.duration(call.getTook()).toNanos(),
                        (call, look) -> Table.cell(TimeFormat.took(call.getTook())))
                .number("tries", "TRIES", CloudCall::getAttempts)
                .shown(
                        "code",
                        "CODE",
                        CloudCall::getCode,
                        (call, look) ->
                                call.getCode().isEmpty() ? Table.cell("") : new Table.Cell(call.getCode(), Tone.BAD))
                .text("request", "REQUEST", CloudCall::getRequestId)
                .wideBy("sequence", "NUMBER", CloudCall::getSequence, (call, look) -> Table.cell(call.getSequence()))
                .build();
    }

    /** What each API may be asked. */
    public static final TableListing<CloudApiBudget> BUDGET = TableListing.<CloudApiBudget>of(
                    "apis", CloudApiBudget::getApi)
            .none("no API is limited", "")
            .text("api", "API", CloudApiBudget::getApi)
            .number("limit", "LIMIT", CloudApiBudget::getLimit)
            .by(
                    "allowed",
                    "ALLOWED",
                    CloudApiBudget::getAllowed,
                    (api, look) -> number(api.getAllowed(), api.getAllowed() < api.getLimit() ? Tone.WAIT : Tone.PLAIN))
            .number("used", "USED", CloudApiBudget::getUsed)
            .by(
                    "left",
                    "LEFT",
                    CloudApiBudget::getLeft,
                    (api, look) -> number(api.getLeft(), api.getLeft() == 0 ? Tone.BAD : Tone.PLAIN))
            .number("calls", "CALLS", CloudApiBudget::getCalls)
            .by(
                    "errors",
                    "ERRORS",
                    EcsViews::errors,
                    (api, look) -> number(errors(api), errors(api) > 0 ? Tone.WAIT : Tone.PLAIN))
            .by(
                    "throttled",
                    "THROTTLED",
                    CloudApiBudget::getThrottles,
                    (api, look) -> number(api.getThrottles(), api.getThrottles() > 0 ? Tone.WAIT : Tone.PLAIN))
            .by("p50", "P50", api -> nanos(api.getP50()), (api, look) -> time(api, api.getP50()))
            .by("p99", "P99", api -> nanos(api.getP99()), (api, look) -> time(api, api.getP99()))
            .by("max", "MAX", api -> nanos(api.getMax()), (api, look) -> time(api, api.getMax()))
            .by(
                    "inhibited",
                    "INHIBITED",
                    api -> TimeFormat.millis(api.getInhibitedUntil()),
                    (api, look) -> api.hasInhibitedUntil()
                            ? new Table.Cell(TimeFormat.left(api.getInhibitedUntil(), look.now()), Tone.BAD)
                            : Table.cell(""))
            .build();

    /** The codes of the failures. */
    public static List<String> failures(List<CloudApiBudget> apis, RenderContext look) {
        List<CloudApiBudget> failed =
                apis.stream().filter(api -> api.getErrorsCount() > 0).toList();
        if (failed.isEmpty()) {
            return List.of();
        }
        Table errors = Table.details();
        failed.forEach(api -> errors.detail(api.getApi(), codes(api)));
        List<String> lines = new ArrayList<>(List.of(""));
        lines.addAll(errors.lines(look.palette()));
        return lines;
    }

    private static long errors(CloudApiBudget api) {
        return api.getErrorsList().stream().mapToLong(error -> error.getCount()).sum();
    }

    private static long nanos(Duration time) {
        return TimeFormat.duration(time).toNanos();
    }

    private static Table.Cell number(long number, Tone tone) {
        return new Table.Cell(Long.toString(number), tone);
    }

    private static Table.Cell time(CloudApiBudget api, Duration time) {
        return Table.cell(api.getCalls() == 0 ? "" : TimeFormat.took(time));
    }

    private static String codes(CloudApiBudget api) {
        return api.getErrorsList().stream()
                .map(error -> error.getCode() + " " + error.getCount())
                .collect(Collectors.joining(", "));
    }
}
