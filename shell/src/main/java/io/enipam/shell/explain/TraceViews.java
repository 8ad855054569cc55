package io.enipam.shell.explain;

import com.google.protobuf.Duration;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.Owner;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceSpan;
import io.enipam.v1.TraceStory;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Traces: the latest as a list, or each as a timeline. */
public final class TraceViews {
    /** A narrower terminal gets no bars. */
    static final int LEAST_FOR_BARS = 100;

    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    /** The latest operations; the name of one is its number. */
    static final TableListing<TraceStory> LATEST = TableListing.<TraceStory>of(
                    "stories", story -> Long.toString(story.getId()))
            .none("no such operation is remembered", "; the first makes one: cni add --pod a/b")
            .by("time", "TIME", story -> TimeFormat.millis(story.getBegin()), TraceViews::time)
            .text("operation", "OPERATION", TraceStory::getOperation)
            .text("pod", "POD", TraceStory::getPod)
            .text("container", "CONTAINER", story -> story.getOwner().getContainer())
            .text("address", "ADDRESS", TraceViews::addresses)
            .by("took", "TOOK", story -> Durations.toNanos(story.getTook()), TraceViews::took)
            .toned("outcome", "OUTCOME", TraceStory::getOutcome, story -> tone(story.getOutcome()))
            .wideNumber("id", "ID", TraceStory::getId)
            .text("why", "WHY", TraceStory::getMessage)
            .flowing()
            .build();

    private TraceViews() {}

    private static Table.Cell time(TraceStory story, RenderContext look) {
        return Table.cell(clock(story, look));
    }

    private static Table.Cell took(TraceStory story, RenderContext look) {
        return Table.cell(story.hasTook() ? TraceTimeline.fine(story.getTook()) : "");
    }

    /** That there is none, and how far back that is known. */
    public static List<String> none(GetTraceReply reply, RenderContext look) {
        return List.of(LATEST.none(look), look.paint(Tone.LABEL, memory(reply.getMemory(), look)));
    }

    public static List<String> timelines(GetTraceReply reply, String target, boolean bars, RenderContext look) {
        List<String> lines = new ArrayList<>();
        for (TraceStory story : reply.getStoriesList()) {
            if (!lines.isEmpty() && !isOneLine(story)) {
                lines.add("");
            }
            lines.addAll(isOneLine(story) ? List.of(oneLine(story, look)) : timeline(story, bars, look));
        }
        if (lines.isEmpty()) {
            lines.add("nothing of " + Palette.clean(target) + " is like that: " + memory(reply.getMemory(), look));
        }
        return lines;
    }

    private static boolean isOneLine(TraceStory story) {
        return story.getOperation().equals("EVENT") || story.getOperation().equals("HOLD");
    }

    private static String oneLine(TraceStory story, RenderContext look) {
        Palette palette = look.palette();
        String what = story.getOperation().equals("HOLD")
                ? of(story, "was") + " ended: " + of(story, "name") + " is " + of(story, "state")
                : of(story, "type") + "  " + story.getMessage();
        return palette.paint(Tone.LABEL, clock(story, look)) + "  " + palette.paint(tone(story.getOutcome()), what);
    }

    private static List<String> timeline(TraceStory story, boolean bars, RenderContext look) {
        Palette palette = look.palette();
        List<String> lines = new ArrayList<>();
        lines.add(palette.paint(Tone.HEAD, story.getOperation() + " " + subject(story)) + about(story, palette));
        lines.add(palette.paint(Tone.LABEL, clock(story, look)) + "  " + result(story, palette));
        lines.addAll(TraceTimeline.lines(story, bars, look));
        if (story.getSpansDropped() > 0) {
            lines.add(palette.paint(
                    Tone.LABEL, "    not kept: " + Table.counted(story.getSpansDropped(), "further step")));
        }
        if (isFailed(story)) {
            lines.add("  " + palette.paint(Tone.BAD, "failed: ") + Palette.clean(story.getMessage()));
        }
        if (!story.getHint().isEmpty()) {
            lines.add("  " + palette.paint(Tone.HEAD, "what to do: ") + Palette.clean(story.getHint()));
        }
        return lines;
    }

    private static String subject(TraceStory story) {
        String call = (of(story, "api") + " " + of(story, "name")).strip();
        String subject = story.hasOwner() ? "of a pod that is not known" : call;
        return story.getPod().isEmpty() ? subject : story.getPod();
    }

    private static String about(TraceStory story, Palette palette) {
        String by = of(story, "by").isEmpty() ? "" : "  by " + of(story, "by");
        String why = of(story, "why").isEmpty() ? "" : "  since " + of(story, "why");
        Owner owner = story.getOwner();
        String container = "  container " + owner.getContainer() + " (" + owner.getIfname() + ")";
        return palette.paint(Tone.LABEL, (story.hasOwner() ? container : "") + by + why);
    }

    private static String result(TraceStory story, Palette palette) {
        if (!story.hasTook()) {
            return palette.paint(Tone.WAIT, "RUNNING");
        }
        String after = " after " + TraceTimeline.fine(story.getTook());
        if (isFailed(story)) {
            return palette.paint(Tone.BAD, "FAILED " + story.getOutcome()) + after;
        }
        String nothing = of(story, "held").equals("nothing") ? "  it held nothing" : "";
        String repeated = of(story, "repeated").equals("true") ? "  it had it already" : "";
        String parent = story.getResource().getParent();
        String on = parent.isEmpty() ? "" : " on " + parent;
        String resource = story.hasResource() ? Palette.clean("  " + addresses(story) + on) : "";
        String granted = of(story, "granted").isEmpty() ? "" : "  " + Palette.clean(of(story, "granted"));
        return palette.paint(Tone.GOOD, "OK") + after + resource + granted + nothing + repeated;
    }

    private static String of(TraceStory story, String attribute) {
        return story.getAttributesOrDefault(attribute, "");
    }

    private static String addresses(TraceStory story) {
        List<String> granted = List.of(of(story, "granted").split(", "));
        return (story.hasResource() ? story.getResource().getAddressesList() : granted)
                .stream().map(Table::host).collect(Collectors.joining(" "));
    }

    private static boolean isFailed(TraceStory story) {
        return story.hasTook() && !story.getOutcome().equals("OK");
    }

    static Tone tone(String outcome) {
        return switch (outcome) {
            case "OK" -> Tone.GOOD;
            case "RUNNING", "WARNING" -> Tone.WAIT;
            default -> Tone.BAD;
        };
    }

    private static String clock(TraceStory story, RenderContext look) {
        return CLOCK.format(TimeFormat.instant(story.getBegin()).atZone(look.zone()));
    }

    /** How far back the daemon remembers: {@code 37 operations of 12 pods, since its start 2h ago}. */
    static String memory(TraceMemory memory, RenderContext look) {
        if (memory.getMostStories() == 0) {
            return "the daemon keeps no stories: trace.stories is 0";
        }
        return "remembered are " + Table.counted(memory.getStories(), "operation") + " of "
                + Table.counted(memory.getPods(), "pod") + ", since "
                + (memory.getSinceStart() ? "the daemon's start " : "")
                + look.age(memory.getSince()) + " ago"
                + (memory.hasKeptSince()
                        ? "; " + memory.getKept() + " in files, since " + look.age(memory.getKeptSince()) + " ago"
                        : "");
    }

    /** The steps of one trace as lines: offset, duration, a bar if the terminal is wide enough, and what was done. */
    private static final class TraceTimeline {
        private static final int BAR = 20;

        /** The attributes of a step with a sentence of their own, here or in the header. */
        private static final Set<String> SAID =
                Set.of("how place servedBy from asked requestId api target serves token resource".split(" "));

        private final TraceStory story;
        private final Map<Integer, Integer> depths = new HashMap<>();
        private final Set<String> explained = new HashSet<>();
        private final long origin;
        private final long length;

        private TraceTimeline(TraceStory story) {
            this.story = story;
            long end = Durations.toNanos(story.getTook());
            long begin = 0;
            for (TraceSpan span : story.getSpansList()) {
                begin = Math.min(begin, offset(span));
                end = Math.max(end, offset(span) + Durations.toNanos(span.getTook()));
            }
            this.origin = begin;
            this.length = Math.max(1, end - begin);
        }

        static List<String> lines(TraceStory story, boolean bars, RenderContext look) {
            if (story.getSpansCount() == 0) {
                return List.of();
            }
            List<String> lines = new TraceTimeline(story).table(bars).lines(look.indented(2));
            return lines.stream().map(line -> ("  " + line).stripTrailing()).toList();
        }

        private Table table(boolean bars) {
            Table table = bars
                    ? Table.headed("OFFSET", "TOOK", "", "STEP", "").prose(4)
                    : Table.headed("OFFSET", "TOOK", "STEP", "").prose(3);
            for (TraceSpan span : story.getSpansList()) {
                int depth = span.getParent() == 0 ? 0 : depths.getOrDefault(span.getParent(), 0) + 1;
                depths.put(span.getId(), depth);
                Tone tone = span.getOutcome().equals("OK") ? Tone.PLAIN : tone(span.getOutcome());
                List<Table.Cell> cells = new ArrayList<>();
                cells.add(new Table.Cell(fine(offset(span)), Tone.LABEL));
                cells.add(new Table.Cell(span.hasTook() ? fine(span.getTook()) : "running", tone));
                if (bars) {
                    cells.add(new Table.Cell(bar(span), tone == Tone.PLAIN ? Tone.GOOD : tone));
                }
                cells.add(new Table.Cell("  ".repeat(depth) + step(span), tone));
                cells.add(new Table.Cell(details(span), tone == Tone.BAD ? Tone.BAD : Tone.LABEL));
                table.row(cells.toArray(Table.Cell[]::new));
            }
            return table;
        }

        private String details(TraceSpan span) {
            String words = attributes(span);
            if (!isFailed(span)) {
                return words;
            }
            String code = "FAILED " + span.getOutcome();
            // the innermost step says why; those that it is part of repeat it
            boolean innermost =
                    story.getSpansList().stream().noneMatch(part -> part.getParent() == span.getId() && isFailed(part));
            boolean news = innermost && !span.getMessage().isEmpty() && explained.add(span.getMessage());
            return (words.isEmpty() ? "" : words + "  ") + code + (news ? ": " + why(span) : "");
        }

        private static boolean isFailed(TraceSpan span) {
            return span.hasTook() && !span.getOutcome().equals("OK");
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
            long took = span.hasTook() ? Durations.toNanos(span.getTook()) : length - from;
            int first = (int) Math.min(BAR - 1, from * BAR / length);
            int cells = (int) Math.max(1, Math.round((double) took * BAR / length));
            cells = Math.min(cells, BAR - first);
            return "·".repeat(first) + "█".repeat(cells) + "·".repeat(BAR - first - cells);
        }

        private long offset(TraceSpan span) {
            return Durations.toNanos(Timestamps.between(story.getBegin(), span.getBegin()));
        }

        private String step(TraceSpan span) {
            boolean ends = Set.of("DEL", "GC").contains(story.getOperation());
            return switch (span.getStep()) {
                case "TURN" -> "pod's turn";
                case "POD" -> "pod looked up";
                case "ACQUIRE" -> "address";
                case "INHERIT" -> "address taken over";
                case "POLICY" -> "policy asked";
                case "COMMIT" -> "database";
                case "QUEUE" -> "disk's turn";
                case "FSYNC" -> "forced to disk";
                case "KERNEL" -> ends || isUnder(span, "UNDO") ? "kernel torn down" : "kernel set up";
                case "UNDO" -> "undone";
                case "RELEASE" -> "back in the pool";
                case "CREATE" -> "address made";
                case "INTENT" -> "intention written";
                case "FACTORY" -> "factory asked";
                case "CLOUD" -> span.getAttributesOrDefault("api", "call of the cloud");
                case "LIMITER" -> "held back by the limit";
                case "ATTEMPT" -> "attempt";
                case "BACK_OFF" -> "pause before the next try";
                default -> span.getStep().toLowerCase(Locale.ROOT).replace('_', ' ');
            };
        }

        private boolean isUnder(TraceSpan span, String step) {
            return story.getSpansList().stream()
                    .anyMatch(parent -> parent.getId() == span.getParent()
                            && parent.getStep().equals(step));
        }

        private static String attributes(TraceSpan span) {
            List<String> words = new ArrayList<>();
            add(words, "", span, "how");
            add(words, "place ", span, "place");
            add(words, "served by ", span, "servedBy");
            String from = span.getAttributesOrDefault("from", "");
            add(words, from.isEmpty() ? "asked: " : "", span, from.isEmpty() ? "asked" : "none");
            add(words, "from ", span, "from");
            add(words, "", span, "target");
            add(words, "", span, "resource");
            add(words, "wish ", span, "token");
            add(words, "request ", span, "requestId");
            String serves = span.getAttributesOrDefault("serves", "");
            if (!serves.isEmpty()) {
                words.add("for " + serves + " at once");
            }
            Set<String> others = new TreeSet<>(span.getAttributesMap().keySet());
            others.removeAll(SAID);
            others.forEach(key -> add(words, key + " ", span, key));
            return String.join(", ", words);
        }

        private static void add(List<String> words, String label, TraceSpan span, String key) {
            String value = span.getAttributesOrDefault(key, "");
            if (!value.isEmpty()) {
                words.add(label + value);
            }
        }

        static String fine(Duration span) {
            return fine(Durations.toNanos(span));
        }

        /** Three figures: {@code 0.03 ms}, {@code 4.2 ms}, {@code 812 ms}, {@code 61.0 s}. */
        private static String fine(long nanos) {
            double millis = nanos / 1e6;
            double size = Math.abs(millis);
            if (size >= 999.5) {
                return String.format(Locale.ROOT, size < 10_000 ? "%.2f s" : "%.1f s", millis / 1000);
            }
            return String.format(Locale.ROOT, size >= 99.5 ? "%.0f ms" : size >= 10 ? "%.1f ms" : "%.2f ms", millis);
        }
    }
}
