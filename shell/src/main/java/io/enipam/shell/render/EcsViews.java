package io.enipam.shell.render;

import com.google.protobuf.Duration;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What the node asks of the cloud. */
public final class EcsViews {
    private static final int WIDEST_TARGET = 40;

    private EcsViews() {}

    /** @param some whether only some of the calls were asked for */
    public static List<String> calls(List<CloudCall> calls, boolean some, Look look) {
        if (calls.isEmpty()) {
            return List.of(
                    some
                            ? look.advising("no such call is remembered", "; all of them: ecs calls")
                            : look.advising(
                                    "the cloud has not been called yet",
                                    "; the first pod makes it: cni add --pod a/b"));
        }
        Table table = Table.headed("TIME", "API", "TARGET", "TOOK", "TRIES", "CODE", "REQUEST");
        for (CloudCall call : calls) {
            table.row(
                    Table.cell(Times.clock(call.getAt(), look.zone())),
                    Table.cell(call.getApi()),
                    Table.cell(Table.clipped(call.getTarget(), WIDEST_TARGET)),
                    Table.cell(Times.took(call.getTook())),
                    Table.cell(call.getAttempts()),
                    call.getCode().isEmpty() ? Table.cell("") : new Table.Cell(call.getCode(), Tone.BAD),
                    Table.cell(call.getRequestId()));
        }
        return table.lines(look.palette());
    }

    /** The table, and below it the codes of the failures. */
    public static List<String> budget(List<CloudApiBudget> apis, Look look) {
        Table table = Table.headed(
                "API",
                "LIMIT",
                "ALLOWED",
                "USED",
                "LEFT",
                "CALLS",
                "ERRORS",
                "THROTTLED",
                "P50",
                "P99",
                "MAX",
                "INHIBITED");
        for (CloudApiBudget api : apis) {
            long errors =
                    api.getErrorsList().stream().mapToLong(e -> e.getCount()).sum();
            table.row(
                    Table.cell(api.getApi()),
                    Table.cell(api.getLimit()),
                    number(api.getAllowed(), api.getAllowed() < api.getLimit() ? Tone.WAIT : Tone.PLAIN),
                    Table.cell(api.getUsed()),
                    number(api.getLeft(), api.getLeft() == 0 ? Tone.BAD : Tone.PLAIN),
                    Table.cell(api.getCalls()),
                    number(errors, errors > 0 ? Tone.WAIT : Tone.PLAIN),
                    number(api.getThrottles(), api.getThrottles() > 0 ? Tone.WAIT : Tone.PLAIN),
                    time(api, api.getP50()),
                    time(api, api.getP99()),
                    time(api, api.getMax()),
                    api.hasInhibitedUntil()
                            ? new Table.Cell(Times.left(api.getInhibitedUntil(), look.now()), Tone.BAD)
                            : Table.cell(""));
        }
        List<String> lines = new ArrayList<>(table.lines(look.palette()));
        List<CloudApiBudget> failed =
                apis.stream().filter(api -> api.getErrorsCount() > 0).toList();
        if (!failed.isEmpty()) {
            lines.add("");
            Table errors = Table.details();
            failed.forEach(api -> errors.detail(api.getApi(), codes(api)));
            lines.addAll(errors.lines(look.palette()));
        }
        return lines;
    }

    private static Table.Cell number(long number, Tone tone) {
        return new Table.Cell(Long.toString(number), tone);
    }

    private static Table.Cell time(CloudApiBudget api, Duration time) {
        return Table.cell(api.getCalls() == 0 ? "" : Times.took(time));
    }

    private static String codes(CloudApiBudget api) {
        return api.getErrorsList().stream()
                .map(error -> error.getCode() + " " + error.getCount())
                .collect(Collectors.joining(", "));
    }
}
