package io.enipam.shell.event;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.ClosestMatch;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Moment.PastSpan;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.PastEvents;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.ShippedText;
import io.enipam.shell.core.StreamFollower;
import io.enipam.shell.core.StreamingTable;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.core.YamlFormat;
import io.enipam.v1.Event;
import io.enipam.v1.WatchEventsReply;
import io.enipam.v1.WatchEventsRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

@Command(name = "events", description = "What happened lately; with -f also what happens until Ctrl-C.")
public final class EventsCommand extends DaemonCommand {
    @Option(
            names = {"-f", "--follow"},
            description = "Wait for more.")
    boolean follow;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "No more than the last N of them; with -f, before those to come.")
    int last = Integer.MAX_VALUE;

    /** Of a moment of the past, unless said otherwise: the events so long before it. */
    private static final Duration BEFORE = Duration.ofHours(1);

    @Mixin
    Filter filter = new Filter();

    @Mixin
    ListOptions view = new ListOptions();

    @Override
    public Optional<String> interactiveOnlyReason() {
        return follow ? Optional.of("events -f ends only at Ctrl-C") : super.interactiveOnlyReason();
    }

    @Override
    public boolean endless() {
        return follow || super.endless();
    }

    @Override
    public Optional<ListRequest> lists() {
        return Optional.of(new ListRequest(view, ALL));
    }

    @Override
    public boolean knowsThePast() {
        return !follow;
    }

    @Override
    public void prepare() {
        ListOptions.requireLimit(last, "Say how many, such as -n 20");
        if (follow) {
            view.refuse(this, "events -f", "Leave out -f, or it");
        }
        view.check(ALL);
    }

    @Override
    public void run() {
        if (follow) {
            follow();
        } else {
            new ListPrinter<>(this, view, new Listed<>(chosen() ? CHOSEN : ALL, this::ask)).run();
        }
    }

    /** Whether some events are left out. */
    private boolean chosen() {
        return !filter.isOpen() || last < Integer.MAX_VALUE || session.past().isPresent();
    }

    private ListReply<Event> ask() {
        if (!chosen()) {
            return ListReply.of(
                    startStream(stub -> stub.watchEvents(WatchEventsRequest.getDefaultInstance())),
                    WatchEventsReply::getEventsList);
        }
        // the run's name is no event, and the same list has none when it comes in parts
        return ListReply.of(remembered(kept().getEventsList()));
    }

    private void follow() {
        String run = "";
        long seen = 0;
        if (last < Integer.MAX_VALUE || !filter.types.isEmpty()) {
            WatchEventsReply kept = kept();
            run = kept.getRun();
            List<Event> events = kept.getEventsList();
            seen = events.stream().mapToLong(Event::getSequence).max().orElse(0);
            tell(last < Integer.MAX_VALUE ? remembered(events) : events);
        }
        new EventTail(session, this::tell, run, seen).follow();
    }

    private WatchEventsReply kept() {
        WatchEventsRequest.Builder request = WatchEventsRequest.newBuilder();
        if ((filter.since != null || session.past().isPresent()) && !follow) {
            Duration since = filter.since == null ? BEFORE : filter.since;
            request.setFrom(TimeFormat.timestamp(session.now().minus(since)));
            session.past().ifPresent(then -> request.setTo(TimeFormat.timestamp(then)));
        }
        WatchEventsReply all = PastEvents.ask(this, request.build());
        filter.requireTypes(all.getEventsList());
        return all;
    }

    private List<Event> remembered(List<Event> events) {
        List<Event> fitting = events.stream().filter(this::fits).toList();
        return fitting.subList(Math.max(0, fitting.size() - last), fitting.size());
    }

    /** Prints those of the events to come that fit; false if the output is closed. */
    private boolean tell(List<Event> events) {
        events.stream()
                // what was missed may have fitted
                .filter(event -> event.getType().equals("EventsDropped") || fits(event))
                .forEach(event -> out().println(shown(event)));
        out().flush();
        return !out().checkError();
    }

    private boolean fits(Event event) {
        return filter.fits(event, session.now());
    }

    private String shown(Event event) {
        return switch (format()) {
            case JSON -> JsonOutput.line(event);
            case YAML -> "---\n" + YamlFormat.document(event);
            case NAME -> Long.toString(event.getSequence());
            case VERTICAL ->
                String.join(
                                "\n",
                                new StreamingTable<>(ALL.columns(true), OutputFormat.VERTICAL)
                                        .lines(List.of(event), look()))
                        + "\n";
            case TABLE, WIDE, CSV -> line(event, session.renderContext(0));
        };
    }

    static final class Filter {
        /** How much an event matters, the least first. */
        enum Level {
            info,
            warning,
            error;

            /** In any case; {@code warn} as the checks of doctor and the log have it is the same. */
            static final class Reader implements ITypeConverter<Level> {
                @Override
                public Level convert(String value) {
                    String typed = value.toLowerCase(Locale.ROOT);
                    return Stream.of(values())
                            .filter(level -> level.name().equals(typed) || (level == warning && typed.equals("warn")))
                            .findFirst()
                            .orElseThrow(
                                    () -> new TypeConversionException("'" + value + "' is not info, warning or error"));
                }
            }
        }

        /** The types of the daemon's own events; those of a plugin are known when they are remembered. */
        static final List<String> KNOWN =
                ShippedText.of(EventsCommand.class, "types.txt").lines().toList();

        @Completes(CompletionKind.EVENT_TYPES)
        @Option(
                names = "--type",
                paramLabel = "TYPE",
                split = ",",
                description = "Only events of these types, such as LeaseRefused; a part of the name will do.")
        List<String> types = new ArrayList<>();

        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                paramLabel = "NS/NAME",
                description = "Only events about this pod; a name alone: of this name in any namespace.")
        String pod = "";

        @Option(
                names = "--since",
                paramLabel = "SPAN",
                converter = PastSpan.class,
                description = "Only events of the last so long, such as 10m or 3d, also those that are in files alone.")
        @Nullable
        Duration since;

        @Option(
                names = {"--severity", "--level"},
                paramLabel = "LEVEL",
                converter = Level.Reader.class,
                description = "Only events that matter at least so much: ${COMPLETION-CANDIDATES}.")
        Level level = Level.info;

        boolean fits(Event event, Instant now) {
            String type = event.getType().toLowerCase(Locale.ROOT);
            List<String> about = List.of(event.getSubject(), event.getAttributesOrDefault("pod", ""));
            return (types.isEmpty() || types.stream().anyMatch(part -> type.contains(part.toLowerCase(Locale.ROOT))))
                    && (pod.isEmpty() || about.stream().anyMatch(this::isOfPod))
                    && levelOf(event).compareTo(level) >= 0
                    && (since == null || !TimeFormat.instant(event.getAt()).isBefore(now.minus(since)));
        }

        private boolean isOfPod(String subject) {
            return subject.equals(pod) || (pod.indexOf('/') < 0 && subject.endsWith("/" + pod));
        }

        /**
         * Throws a usage error for a part of a type that neither the daemon's events nor the remembered ones have. Which types a plugin
         * has, is not known here: they are {@code PLUGIN/TYPE}.
         */
        void requireTypes(List<Event> remembered) {
            List<String> known = Stream.concat(
                            KNOWN.stream(), remembered.stream().map(Event::getType))
                    .distinct()
                    .toList();
            for (String part : types) {
                String typed = part.toLowerCase(Locale.ROOT);
                if (!typed.contains("/")
                        && known.stream()
                                .noneMatch(type -> type.toLowerCase(Locale.ROOT).contains(typed))) {
                    throw ShellException.usage(
                            "no event has the type '" + part + "'",
                            ClosestMatch.hint(
                                    part, known, "Leave out --type to see all; at the prompt TAB lists the types"));
                }
            }
        }

        boolean isOpen() {
            return types.isEmpty() && pod.isEmpty() && since == null && level == Level.info;
        }

        private static Level levelOf(Event event) {
            return switch (event.getSeverity()) {
                case "ERROR" -> Level.error;
                case "WARNING" -> Level.warning;
                default -> Level.info;
            };
        }
    }

    /** The types that the daemon's own events have. */
    public static List<String> types() {
        return Filter.KNOWN;
    }

    /** All that are remembered, the oldest first; their names are their numbers. */
    static final TableListing<Event> ALL =
            columns().none("nothing has happened yet", "; to watch: events -f").build();

    static final TableListing<Event> CHOSEN = columns()
            .none("no such event is remembered", "; all of them: events")
            .build();

    private static TableListing.Builder<Event> columns() {
        return TableListing.<Event>of("events", event -> Long.toString(event.getSequence()))
                .clock("time", "TIME", Event::getAt, Tone.LABEL)
                .state("severity", "SEVERITY", Event::getSeverity)
                .text("type", "TYPE", Event::getType)
                .text("subject", "SUBJECT", Event::getSubject)
                .wideNumber("number", "NUMBER", Event::getSequence)
                .wideText("attributes", "ATTRIBUTES", EventsCommand::attributes)
                .text("message", "MESSAGE", Event::getMessage)
                .flowing();
    }

    private static String attributes(Event event) {
        return event.getAttributesMap().entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(" "));
    }

    /** One that has just come: its columns have widths that fit most and push the rest aside. */
    static String line(Event event, RenderContext look) {
        String severity = pad(event.getSeverity(), 7);
        return look.paint(Tone.LABEL, look.clock(event.getAt()))
                + "  " + look.paint(Tone.ofState(event.getSeverity()), severity)
                + "  " + Palette.clean(pad(event.getType(), 20))
                + "  " + Palette.clean(pad(event.getSubject(), 24))
                + "  " + Palette.clean(event.getMessage());
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    /**
     * Follows the daemon's events over its restarts. The numbers of events go on over these for as long as the daemon has its files; numbers
     * under another name, which a reply tells, are followed from their beginning, so that nothing of them is missed, and events under the
     * former name after the last one read are lost.
     */
    private static final class EventTail {
        private final Predicate<List<Event>> print;
        private final StreamFollower<WatchEventsReply> stream;
        private String run;
        private long last;

        /** {@code print} returns false to end it; {@code run} is the one of {@code last}, empty if nothing was seen. */
        EventTail(Session session, Predicate<List<Event>> print, String run, long last) {
            this.print = print;
            this.run = run;
            this.last = last;
            this.stream =
                    new StreamFollower<>(session, "events", true, stub -> stub.watchEvents(request()), this::take);
        }

        void follow() {
            stream.follow();
        }

        private WatchEventsRequest request() {
            return WatchEventsRequest.newBuilder()
                    .setAfterSequence(last)
                    .setRun(run)
                    .setFollow(true)
                    .build();
        }

        private boolean take(WatchEventsReply reply) {
            if (!run.isEmpty() && !reply.getRun().equals(run)) {
                stream.say("the daemon started anew, and its events are numbered from 1: what it told after number "
                        + last + " before that is lost");
                last = 0;
            }
            run = reply.getRun();
            List<Event> fresh = reply.getEventsList().stream()
                    .filter(event -> event.getSequence() > last)
                    .toList();
            fresh.forEach(event -> last = Math.max(last, event.getSequence()));
            return print.test(fresh);
        }
    }
}
