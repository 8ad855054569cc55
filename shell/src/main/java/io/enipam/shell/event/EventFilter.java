package io.enipam.shell.event;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.Event;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which events somebody wants to see. */
final class EventFilter {
    /** How much an event matters, the least first. */
    enum Level {
        info,
        warning,
        error
    }

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            split = ",",
            description = "Only events of these types, such as LeaseRefused; a part of the name will do.")
    List<String> types = new ArrayList<>();

    @Completes(CompletionKind.PODS)
    @Option(names = "--pod", paramLabel = "NS/NAME", description = "Only events about this pod.")
    String pod = "";

    @Option(
            names = "--since",
            paramLabel = "SPAN",
            converter = DurationConverter.class,
            description = "Only events of the last so long, such as 10m.")
    @Nullable
    Duration since;

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            description = "Only events that matter at least so much: ${COMPLETION-CANDIDATES}.")
    Level level = Level.info;

    /** Whether an event is one of them. */
    boolean fits(Event event, InstantSource clock) {
        return ofType(event)
                && (pod.isEmpty()
                        || event.getSubject().equals(pod)
                        || pod.equals(event.getAttributesOrDefault("pod", "")))
                && levelOf(event).compareTo(level) >= 0
                && (since == null
                        || !TimeFormat.instant(event.getAt())
                                .isBefore(clock.instant().minus(since)));
    }

    /** Whether all events fit. */
    boolean isOpen() {
        return types.isEmpty() && pod.isEmpty() && since == null && level == Level.info;
    }

    private boolean ofType(Event event) {
        String type = event.getType().toLowerCase(Locale.ROOT);
        return types.isEmpty() || types.stream().anyMatch(part -> type.contains(part.toLowerCase(Locale.ROOT)));
    }

    private static Level levelOf(Event event) {
        return switch (event.getSeverity()) {
            case "ERROR" -> Level.error;
            case "WARNING" -> Level.warning;
            default -> Level.info;
        };
    }
}
