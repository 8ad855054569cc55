package io.enipam.shell.explain;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
            .by(
                    "time",
                    "TIME",
                    story -> TimeFormat.millis(story.getBegin()),
                    (story, look) -> Table.cell(clock(story, look)))
            .text("operation", "OPERATION", TraceStory::getOperation)
            .text("pod", "POD", TraceStory::getPod)
            .text("container", "CONTAINER", story -> story.getOwner().getContainer())
            .text("address", "ADDRESS", TraceViews::addresses)
            .by(
                    "took",
                    "TOOK",
                    story -> Durations.toNanos(story.getTook()),
                    (story, look) -> Table.cell(story.hasTook() ? TraceTimeline.fine(story.getTook()) : ""))
            .toned("outcome", "OUTCOME", TraceStory::getOutcome, story -> tone(story.getOutcome()))
            .wideNumber("id", "ID", TraceStory::getId)
            .text("why", "WHY", TraceStory::getMessage)
            .flowing()
            .build();

    private TraceViews() {}

    /** That there is none, and how far back that is known. */
    public static List<String> none(GetTraceReply reply, RenderContext look) {
        return List.of(LATEST.none(look), look.paint(Tone.LABEL, memory(reply.getMemory(), look)));
    }

    /** A timeline for each, one after the other. */
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
                ? story.getAttributesOrDefault("was", "") + " ended: "
                        + story.getAttributesOrDefault("name", "") + " is "
                        + story.getAttributesOrDefault("state", "")
                : story.getAttributesOrDefault("type", "") + "  " + story.getMessage();
        return palette.paint(Tone.LABEL, clock(story, look)) + "  " + palette.paint(tone(story.getOutcome()), what);
    }

    private static List<String> timeline(TraceStory story, boolean bars, RenderContext look) {
        Palette palette = look.palette();
        List<String> lines = new ArrayList<>();
        lines.add(palette.paint(Tone.HEAD, story.getOperation() + " " + subject(story)) + about(story, palette));
        lines.add(palette.paint(Tone.LABEL, clock(story, look)) + "  " + result(story, palette));
        lines.addAll(TraceTimeline.lines(story, bars, palette));
        if (story.getSpansDropped() > 0) {
            lines.add(palette.paint(Tone.LABEL, "    " + story.getSpansDropped() + " more steps were not kept"));
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
        if (!story.getPod().isEmpty()) {
            return story.getPod();
        }
        return story.hasOwner()
                ? "of a pod that is not known"
                : (story.getAttributesOrDefault("api", "") + " " + story.getAttributesOrDefault("name", "")).strip();
    }

    private static String about(TraceStory story, Palette palette) {
        String by = story.getAttributesOrDefault("by", "");
        String why = story.getAttributesOrDefault("why", "");
        return palette.paint(
                Tone.LABEL,
                (story.hasOwner()
                                ? "  container " + story.getOwner().getContainer() + " ("
                                        + story.getOwner().getIfname() + ")"
                                : "")
                        + (by.isEmpty() ? "" : "  by " + by)
                        + (why.isEmpty() ? "" : "  since " + why));
    }

    private static String result(TraceStory story, Palette palette) {
        if (!story.hasTook()) {
            return palette.paint(Tone.WAIT, "RUNNING");
        }
        String after = " after " + TraceTimeline.fine(story.getTook());
        if (isFailed(story)) {
            return palette.paint(Tone.BAD, "FAILED " + story.getOutcome()) + after;
        }
        String nothing = story.getAttributesOrDefault("held", "").equals("nothing") ? "  it held nothing" : "";
        String repeated = story.getAttributesOrDefault("repeated", "").equals("true") ? "  it had it already" : "";
        return palette.paint(Tone.GOOD, "OK") + after + Palette.clean(resource(story)) + nothing + repeated;
    }

    private static String resource(TraceStory story) {
        return story.hasResource()
                ? "  " + addresses(story)
                        + (story.getResource().getParent().isEmpty()
                                ? ""
                                : " on " + story.getResource().getParent())
                : "";
    }

    private static String addresses(TraceStory story) {
        return story.getResource().getAddressesList().stream()
                .map(address -> address.replaceFirst("/.*", ""))
                .collect(Collectors.joining(" "));
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
        Instant since = TimeFormat.instant(memory.getSince());
        return "remembered are " + memory.getStories() + " operations of " + memory.getPods() + " pods, since "
                + (memory.getSinceStart() ? "the daemon's start " : "")
                + TimeFormat.span(Duration.between(since, look.now())) + " ago";
    }
}
