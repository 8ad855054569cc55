package io.enipam.shell.explain;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.Owner;
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
                ? of(story, "was") + " ended: " + of(story, "name") + " is " + of(story, "state")
                : of(story, "type") + "  " + story.getMessage();
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
        return palette.paint(Tone.GOOD, "OK") + after + resource + nothing + repeated;
    }

    private static String of(TraceStory story, String attribute) {
        return story.getAttributesOrDefault(attribute, "");
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
