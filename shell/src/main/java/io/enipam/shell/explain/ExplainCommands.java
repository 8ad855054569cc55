package io.enipam.shell.explain;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Moment.PastSpan;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.plugin.PluginCommandLeaves;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.NextStep;
import io.enipam.v1.PendingOperation;
import io.enipam.v1.PluginExplanation;
import io.enipam.v1.SourceDifference;
import io.enipam.v1.SourceStatement;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What a thing is and why, and what was done for it. */
public final class ExplainCommands {
    private ExplainCommands() {}

    @Command(
            name = "explain",
            description = "What an address, pod, ENI or container is, why it is so, and what comes next.")
    public static final class Explain extends DaemonCommand implements KnowsThePast {
        /** The cloud may be asked three times, each with its own timeout. */
        public static final Duration WITHIN = Duration.ofSeconds(25);

        @Completes(CompletionKind.ANYTHING)
        @Parameters(
                paramLabel = "IP|POD|ENI|CONTAINER",
                description = "An address, a pod (NS/NAME, or its name), an ENI's id or MAC, a container's id or how it"
                        + " begins, a resource's id, or what a plugin explains.")
        String what = "";

        @Option(names = "--anew", description = "Ask the cloud anew, whatever it said a moment ago.")
        boolean anew;

        @Override
        public void run() {
            ExplainReply reply = session.past()
                    .map(then -> PastExplanation.at(this, what, then))
                    .orElseGet(this::ask);
            show(
                    reply,
                    (r, look) -> ExplainCommands.reply(r, look, format() == OutputFormat.WIDE),
                    r -> r.getThingsList().stream().map(Explanation::getName).toList());
            if (reply.getThingsCount() == 0 && reply.getPluginsCount() == 0) {
                if (session.past().isPresent()) {
                    throw ShellException.verdict(
                            "NOT_FOUND",
                            "nothing is recorded of '" + what + "' then, or of the day before",
                            "'pod list' and 'eni list' show what there was; 'at now' leads back to the present");
                }
                String near = "Did you mean " + String.join(" or ", reply.getNearestList()) + "?";
                String lists = "'pool inuse', 'pod list' and 'eni list' show what there is";
                String hint = reply.getNearestCount() == 0 ? lists : near;
                throw ShellException.verdict("NOT_FOUND", "nobody here knows '" + what + "'", hint);
            }
        }

        @Override
        public void prepare() {
            if (anew && session.past().isPresent()) {
                throw ShellException.usage(
                        "--anew asks the cloud of now, and this shell is in the past", "Leave it out");
            }
        }

        private ExplainReply ask() {
            ExplainRequest request =
                    ExplainRequest.newBuilder().setWhat(what).setAnew(anew).build();
            return waiting(() -> session.daemon().inspect(WITHIN, stub -> stub.explain(request)));
        }
    }

    @Command(
            name = "trace",
            description =
                    "What was done for a pod, a container, an address or an ENI, step by step, also what failed; the"
                            + " latest last.")
    public static final class Trace extends DaemonCommand implements KnowsThePast {
        @Completes(CompletionKind.TRACED)
        @Parameters(
                arity = "0..1",
                paramLabel = "TARGET",
                description =
                        "A pod, container, address, ENI or request id; without it the latest operations are listed.")
        String target = "";

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                description = "No more than the last N; 0 for all that are remembered. By default ${DEFAULT-VALUE}.")
        int limit = 10;

        @Option(names = "--failed", description = "Only what failed.")
        boolean failed;

        @Option(
                names = "--since",
                paramLabel = "SPAN",
                converter = PastSpan.class,
                description = "Only what began in the last so long, such as 10m.")
        @Nullable
        Duration since;

        @Mixin
        ListOptions view = new ListOptions();

        private TraceMemory memory = TraceMemory.getDefaultInstance();

        @Override
        public void prepare() {
            ListOptions.requireLimit(limit, "Say how many, such as -n 5, or 0 for all");
            if (!target.isEmpty()) {
                view.refuse(this, "trace of one thing", "Leave out its name, or it");
            }
            view.check(TraceViews.LATEST);
        }

        @Override
        public Optional<ListRequest> lists() {
            return Optional.of(new ListRequest(view, TraceViews.LATEST));
        }

        @Override
        public void run() {
            if (target.isEmpty()) {
                new ListPrinter<>(this, view, new Listed<>(TraceViews.LATEST, this::latest).with(this::below)).run();
                return;
            }
            GetTraceReply reply = ask(request());
            if (reply.getStoriesCount() == 0) {
                requireKnown(reply);
            }
            boolean bars = session.columns() >= TraceViews.LEAST_FOR_BARS;
            List<String> names =
                    reply.getStoriesList().stream().map(TraceViews.LATEST::name).toList();
            show(reply, (found, look) -> TraceViews.timelines(found, target, bars, look), found -> names);
        }

        private ListReply<TraceStory> latest() {
            GetTraceReply reply = ask(request());
            memory = reply.getMemory();
            return ListReply.of(reply, reply.getStoriesList());
        }

        private List<String> below(List<TraceStory> listed, RenderContext look) {
            return List.of(look.paint(Tone.LABEL, TraceViews.memory(memory, look)));
        }

        private GetTraceRequest request() {
            GetTraceRequest.Builder request =
                    GetTraceRequest.newBuilder().setTarget(target).setLimit(limit);
            request.setFailed(failed).setBrief(target.isEmpty());
            if (since != null) {
                request.setSince(Durations.fromNanos(since.toNanos()));
            }
            session.past().ifPresent(then -> request.setTo(TimeFormat.timestamp(then)));
            return request.build();
        }

        private GetTraceReply ask(GetTraceRequest request) {
            return whole(startStream(stub -> stub.getTrace(request)));
        }

        /** One reply of all its parts. */
        public static GetTraceReply whole(Iterator<GetTraceReply> parts) {
            GetTraceReply.Builder all = GetTraceReply.newBuilder();
            parts.forEachRemaining(all::mergeFrom);
            return all.build();
        }

        /** Distinguishes "no failure" from "no trace kept". */
        private void requireKnown(GetTraceReply reply) {
            boolean chosen = failed || since != null;
            GetTraceRequest.Builder any = GetTraceRequest.newBuilder().setTarget(target);
            session.past().ifPresent(then -> any.setTo(TimeFormat.timestamp(then)));
            if (!chosen || ask(any.setLimit(1).setBrief(true).build()).getStoriesCount() == 0) {
                String memory = TraceViews.memory(reply.getMemory(), session.renderContext());
                String why = "nothing is remembered of '" + target + "': " + memory;
                String hint = "See 'trace' for the latest operations, 'pod list' for the pods there are";
                throw new ShellException(ExitStatus.REFUSED, "NOT_FOUND", why, hint);
            }
        }
    }

    /** How much of what a source says is shown, unless all of it is asked for. */
    private static final int SAYS = 72;

    /** @param all also the last events and calls of the cloud, and nothing cut off */
    public static List<String> reply(ExplainReply reply, RenderContext look, boolean all) {
        List<String> lines = new ArrayList<>();
        if (reply.getThingsCount() > 1) {
            String things = reply.getThingsList().stream()
                    .map(thing -> label(thing) + " " + thing.getName())
                    .collect(Collectors.joining(", "));
            lines.add(
                    Palette.clean("'" + reply.getWhat() + "' names " + reply.getThingsCount() + " things: " + things));
        }
        for (Explanation thing : reply.getThingsList()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(details(thing, look));
            Table.section(lines, addresses(thing, look));
            Table.section(lines, sources(thing, look, all));
            if (all) {
                Table.section(lines, calls(thing, look));
                Table.section(lines, events(thing, look));
            }
        }
        if (reply.getMore() > 0) {
            lines.add("");
            lines.add("and " + reply.getMore() + " more: give the full name of the one that is meant");
        }
        reply.getLookedList().forEach(line -> lines.add(Palette.clean(line)));
        for (PluginExplanation said : reply.getPluginsList()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.add(look.paint(Tone.LABEL, Palette.clean(said.getCommand())));
            lines.addAll(PluginCommandLeaves.lines(said.getAnswer(), look));
        }
        return lines;
    }

    private static String label(Explanation thing) {
        return thing.getKind().equals("ENI") ? "ENI" : thing.getKind().toLowerCase(Locale.ROOT);
    }

    private static List<String> details(Explanation thing, RenderContext look) {
        Timestamp at = thing.getSince();
        String since = thing.hasSince() ? " for " + look.age(at) + ", since " + look.clock(at) : "";
        String kind = thing.getKind();
        Table table = Table.details()
                .detail(label(thing), thing.getName())
                .detail("state", thing.getState() + since, Tone.ofState(thing.getState()));
        labelled(table, "why", thing.getWhyList(), why -> why, Tone.PLAIN);
        table.detailIfAny("pod", kind.equals("POD") ? "" : thing.getPod());
        table.detailIfAny(
                "container", kind.equals("CONTAINER") ? "" : thing.getOwner().getContainer());
        table.detailIfAny("ENI", kind.equals("ENI") ? "" : thing.getEni());
        labelled(table, "next", thing.getNextList(), step -> next(step, look), Tone.PLAIN);
        labelled(table, "pending", thing.getOperationsList(), operation -> pending(operation, look), Tone.WAIT);
        labelled(table, "differs", thing.getDifferencesList(), ExplainCommands::difference, Tone.BAD);
        return table.lines(look);
    }

    private static <I> void labelled(Table table, String label, List<I> items, Function<I, String> line, Tone tone) {
        for (int i = 0; i < items.size(); i++) {
            table.detail(i == 0 ? label : "", line.apply(items.get(i)), tone);
        }
    }

    private static String next(NextStep step, RenderContext look) {
        String when = "in " + look.left(step.getAt()) + ", at " + look.clock(step.getAt()) + ": ";
        return (step.hasAt() ? when : "") + step.getWhat();
    }

    private static String pending(PendingOperation operation, RenderContext look) {
        return operation.getWords() + ", begun " + look.age(operation.getSince()) + " ago"
                + (operation.getClientToken().isEmpty() ? "" : ", token " + operation.getClientToken());
    }

    private static String difference(SourceDifference difference) {
        return difference.getSaysList().stream()
                .map(said -> said.getSource() + ": " + said.getWords())
                .collect(Collectors.joining("; ", difference.getWhat() + " (", ")"));
    }

    private static List<String> addresses(Explanation thing, RenderContext look) {
        boolean eni = thing.getKind().equals("ENI");
        String headings = "ADDRESS  ROLE  STATE" + (eni ? "  POD" : "");
        return Table.listed(look, thing.getAddressesList(), headings, address -> {
            boolean granted = address.getState().equals("GRANTED");
            String role = address.getPrimary() ? "primary" : granted ? "" : "secondary";
            Table.Cell state = Table.state(address.getState());
            return eni
                    ? Table.cells(address.getAddress(), role, state, address.getPod())
                    : Table.cells(address.getAddress(), role, state);
        });
    }

    private static List<String> sources(Explanation thing, RenderContext look, boolean all) {
        boolean differs = thing.getSaysList().stream().anyMatch(SourceStatement::getDiffers);
        Table table = differs
                ? Table.headed("SOURCE", "", "SAYS", "SINCE", "ASKED").prose(2)
                : Table.headed("SOURCE", "SAYS", "SINCE", "ASKED").prose(1);
        for (SourceStatement statement : thing.getSaysList()) {
            String since = statement.hasSince() ? look.clock(statement.getSince()) : "";
            List<Object> cells =
                    new ArrayList<>(List.of(statement.getSource(), says(statement, all), since, asked(statement)));
            if (differs) {
                cells.add(1, new Table.Cell(statement.getDiffers() ? "!" : "", Tone.BAD));
            }
            table.row(cells.toArray());
        }
        return table.lines(look);
    }

    private static Table.Cell says(SourceStatement statement, boolean all) {
        String words = String.join("; ", statement.getWordsList());
        return switch (statement.getState()) {
            case "ABSENT" -> said("not here: " + words, all, Tone.LABEL);
            case "FAILED" -> said("no answer: " + statement.getCode() + ": " + words, all, Tone.BAD);
            default ->
                words.isEmpty()
                        ? new Table.Cell("nothing of it", Tone.LABEL)
                        : said(words, all, statement.getDiffers() ? Tone.BAD : Tone.PLAIN);
        };
    }

    private static Table.Cell said(String text, boolean all, Tone tone) {
        return new Table.Cell(all ? text : Table.clipped(text, SAYS), tone);
    }

    private static String asked(SourceStatement statement) {
        if (statement.getState().equals("ABSENT")) {
            return "";
        }
        Duration age = TimeFormat.duration(statement.getAge());
        return age.toSeconds() == 0 ? "now" : TimeFormat.span(age) + " ago";
    }

    private static List<String> calls(Explanation thing, RenderContext look) {
        return Table.listed(look, thing.getCallsList(), "CALLED  API  RESULT  TRIES  REQUEST", call -> {
            Object result = call.getCode().isEmpty() ? "ok" : new Table.Cell(call.getCode(), Tone.BAD);
            return Table.cells(
                    look.clock(call.getAt()), call.getApi(), result, call.getAttempts(), call.getRequestId());
        });
    }

    private static List<String> events(Explanation thing, RenderContext look) {
        return Table.listed(look, thing.getEventsList(), "LATELY  EVENT  MESSAGE", event -> {
            Table.Cell type = new Table.Cell(event.getType(), Tone.ofState(event.getSeverity()));
            return Table.cells(look.clock(event.getAt()), type, event.getMessage());
        });
    }
}
