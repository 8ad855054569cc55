package io.enipam.shell.explain;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The steps of one story as lines: offset, duration, a bar where there is room for one, and what was done. */
final class TraceTimeline {
    private static final int BAR = 20;

    private final TraceStory story;
    private final Map<Integer, Integer> depths = new HashMap<>();
    private final Set<String> explained = new HashSet<>();
    private final long origin;
    private final long length;

    private TraceTimeline(TraceStory story) {
        this.story = story;
        long end = TraceDurations.nanos(story.getTook());
        long begin = 0;
        for (TraceSpan span : story.getSpansList()) {
            begin = Math.min(begin, offset(span));
            end = Math.max(end, offset(span) + TraceDurations.nanos(span.getTook()));
        }
        this.origin = begin;
        this.length = Math.max(1, end - begin);
    }

    static List<String> lines(TraceStory story, boolean bars, Palette palette) {
        if (story.getSpansCount() == 0) {
            return List.of();
        }
        return new TraceTimeline(story)
                .table(bars).lines(palette).stream()
                        .map(line -> ("  " + line).stripTrailing())
                        .toList();
    }

    private Table table(boolean bars) {
        Table table =
                bars ? Table.headed("OFFSET", "TOOK", "", "STEP", "") : Table.headed("OFFSET", "TOOK", "STEP", "");
        for (TraceSpan span : story.getSpansList()) {
            int depth = span.getParent() == 0 ? 0 : depths.getOrDefault(span.getParent(), 0) + 1;
            depths.put(span.getId(), depth);
            Tone tone = span.getOutcome().equals("OK") ? Tone.PLAIN : TraceViews.tone(span.getOutcome());
            List<Table.Cell> cells = new ArrayList<>();
            cells.add(new Table.Cell(TraceDurations.fine(offset(span)), Tone.LABEL));
            cells.add(new Table.Cell(span.hasTook() ? TraceDurations.fine(span.getTook()) : "running", tone));
            if (bars) {
                cells.add(new Table.Cell(bar(span), tone == Tone.PLAIN ? Tone.GOOD : tone));
            }
            cells.add(new Table.Cell("  ".repeat(depth) + TraceLabels.step(story, span), tone));
            cells.add(new Table.Cell(details(span), tone == Tone.BAD ? Tone.BAD : Tone.LABEL));
            table.row(cells.toArray(Table.Cell[]::new));
        }
        return table;
    }

    private String details(TraceSpan span) {
        String words = TraceLabels.details(span);
        boolean failed = span.hasTook() && !span.getOutcome().equals("OK");
        if (!failed) {
            return words;
        }
        String code = "FAILED " + span.getOutcome();
        // the innermost step says why; those that it is part of repeat it
        boolean innermost = story.getSpansList().stream()
                .noneMatch(part -> part.getParent() == span.getId()
                        && part.hasTook()
                        && !part.getOutcome().equals("OK"));
        boolean news = innermost && !span.getMessage().isEmpty() && explained.add(span.getMessage());
        return (words.isEmpty() ? "" : words + "  ") + code + (news ? ": " + why(span) : "");
    }

    /** The message without what the line has already: API, code and request id. */
    private static String why(TraceSpan span) {
        String message = span.getMessage();
        String code = span.getOutcome() + ": ";
        int at = message.indexOf(code);
        String why = at < 0 ? message : message.substring(at + code.length());
        String request = " (request " + span.getAttributesOrDefault("requestId", "") + ")";
        return why.endsWith(request) ? why.substring(0, why.length() - request.length()) : why;
    }

    /** Where it lies in the whole, in cells: at least one. */
    private String bar(TraceSpan span) {
        long from = offset(span) - origin;
        long took = span.hasTook() ? TraceDurations.nanos(span.getTook()) : length - from;
        int first = (int) Math.min(BAR - 1, from * BAR / length);
        int cells = (int) Math.max(1, Math.round((double) took * BAR / length));
        cells = Math.min(cells, BAR - first);
        return "·".repeat(first) + "█".repeat(cells) + "·".repeat(BAR - first - cells);
    }

    private long offset(TraceSpan span) {
        return Duration.between(TimeFormat.instant(story.getBegin()), TimeFormat.instant(span.getBegin()))
                .toNanos();
    }
}
