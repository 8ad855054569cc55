package io.enipam.shell.bundle;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.bundle.BundlePart.Failure;
import io.enipam.shell.bundle.BundleReport.ReportData;
import io.enipam.shell.core.CommandLineLexer;
import io.enipam.shell.core.CommandLineLexer.Token;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ErrorLine;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.core.ShellCommand;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.doctor.DoctorCommand;
import io.enipam.shell.explain.ExplainCommands;
import io.enipam.shell.explain.TraceViews;
import io.enipam.shell.pipe.CommandRunner;
import io.enipam.v1.CloudApiBudget;
import io.enipam.v1.CloudCall;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.Eni;
import io.enipam.v1.Event;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.GetCloudBudgetRequest;
import io.enipam.v1.GetClusterReply;
import io.enipam.v1.GetClusterRequest;
import io.enipam.v1.GetHistoryReply;
import io.enipam.v1.GetHistoryRequest;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.GetMetersReply;
import io.enipam.v1.GetMetersRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import io.enipam.v1.LeaseRecord;
import io.enipam.v1.ListCloudCallsRequest;
import io.enipam.v1.ListEnisRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.enipam.v1.WatchEventsRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;

/**
 * What the daemon has for a bundle: the commands of the grammar that say so, as text and as JSON, and what the report
 * draws. The parts run on other threads than the reader of {@link #data}, so what they find is in thread-safe fields.
 */
final class DaemonBundleParts {
    /** Of many things with the same trouble the first are enough. */
    private static final int MOST_EXPLAINED = 10;

    private static final int MOST_FAILURES = 50;

    private final Session session;
    private final AtomicReference<GetStatusReply> status = new AtomicReference<>(GetStatusReply.getDefaultInstance());
    private final AtomicReference<GetMetersReply> meters = new AtomicReference<>(GetMetersReply.getDefaultInstance());
    private final List<HistorySample> samples = new CopyOnWriteArrayList<>();
    private final List<CloudApiBudget> apis = new CopyOnWriteArrayList<>();
    private final List<CloudCall> failedCalls = new CopyOnWriteArrayList<>();
    private final List<Eni> enis = new CopyOnWriteArrayList<>();
    private final List<LeaseRecord> leases = new CopyOnWriteArrayList<>();
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final AtomicReference<Optional<List<ExplainReply>>> explained = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<GetTraceReply>> failures = new AtomicReference<>(Optional.empty());

    DaemonBundleParts(Session session) {
        this.session = session;
    }

    /** The node's name as the daemon reported it; "unknown" if it did not. */
    String node() {
        String name = status.get().getNode();
        return name.isEmpty() ? "unknown" : Palette.clean(name);
    }

    /** Whether the daemon reported anything about itself. */
    boolean answered() {
        return !status.get().equals(GetStatusReply.getDefaultInstance())
                || !meters.get().equals(GetMetersReply.getDefaultInstance())
                || !samples.isEmpty();
    }

    ReportData data() {
        return new ReportData(
                status.get(),
                meters.get(),
                List.copyOf(samples),
                List.copyOf(apis),
                List.copyOf(failedCalls),
                List.copyOf(enis),
                List.copyOf(leases),
                List.copyOf(events));
    }

    List<BundlePart> parts() {
        List<BundlePart> parts = new ArrayList<>();
        parts.add(new BundlePart("daemon/meters.json", "the daemon's meters", true, this::meters));
        parts.add(new BundlePart("daemon/history.json", "the daemon's samples", true, this::history));
        String link = "the link to the cluster: the watch, requests by answer, the node object";
        parts.add(new BundlePart("daemon/cluster.json", link, true, this::cluster));
        parts.add(new BundlePart("", "what the report draws", true, this::reportData));
        Map<String, String> lines = new LinkedHashMap<>();
        collect(session.commands(List.of()), lines);
        lines.forEach((line, name) -> {
            String file = "commands/" + name;
            parts.add(new BundlePart(file + ".txt", line, true, out -> run(line, OutputFormat.WIDE, out)));
            parts.add(
                    new BundlePart(file + ".json", line + " -o json", true, out -> run(line, OutputFormat.JSON, out)));
        });
        parts.addAll(followUps());
        return parts;
    }

    /** The lines to run, each with the beginning of its file's name, in the order of the grammar. */
    private static void collect(CommandLine command, Map<String, String> into) {
        if (command.getCommand() instanceof ShellCommand leaf) {
            for (String line : leaf.inBundle()) {
                String name = line.replaceAll("[^A-Za-z0-9.]+", "-").replaceAll("^-|-$", "");
                into.put(line, name.substring(0, Math.min(48, name.length())));
            }
        }
        command.getSubcommands().values().forEach(sub -> collect(sub, into));
    }

    private Failure run(String line, OutputFormat format, OutputStream to) {
        AtomicReference<String> failure = new AtomicReference<>("");
        try (PrintStream out = new PrintStream(to, false, StandardCharsets.UTF_8)) {
            SessionOutput screen = new SessionOutput(out, out, Palette.PLAIN, Palette.PLAIN, false);
            CommandRunner runner = new CommandRunner(
                    session.unattended(screen, format), (what, e) -> failure.set(ErrorLine.format(what, e)));
            List<Token> words = CommandLineLexer.lex(line).commands().get(0);
            int status = runner.command(words.stream().map(Token::text).toList());
            String why = failure.get().isEmpty() ? "it ended with status " + status : failure.get();
            return status == ExitStatus.DONE.status() ? Failure.NONE : Failure.because(why);
        }
    }

    private Failure meters(OutputStream out) throws Exception {
        meters.set(look(stub -> stub.getMeters(GetMetersRequest.getDefaultInstance())));
        return written(List.of(JsonOutput.document(meters.get())), out);
    }

    private <T> T look(Function<InspectBlockingStub, T> call) {
        return session.daemon().inspect(DaemonCommand.LOOK, call);
    }

    private static Failure written(List<String> lines, OutputStream out) throws IOException {
        out.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        return Failure.NONE;
    }

    private Failure cluster(OutputStream out) throws Exception {
        GetClusterReply cluster = look(stub -> stub.getCluster(GetClusterRequest.getDefaultInstance()));
        return cluster.hasStatus()
                ? written(List.of(JsonOutput.document(cluster)), out)
                : Failure.absent("this daemon asks no API server");
    }

    private Failure history(OutputStream out) throws Exception {
        GetHistoryReply.Builder all = GetHistoryReply.newBuilder();
        session.daemon().stream(DaemonCommand.LIST, stub -> stub.getHistory(GetHistoryRequest.getDefaultInstance()))
                .forEachRemaining(part -> all.addAllSamples(part.getSamplesList()));
        samples.addAll(all.getSamplesList());
        return written(List.of(JsonOutput.document(all.build())), out);
    }

    /** Writes nothing: what it asks for is in the files of the commands as well. */
    private Failure reportData(OutputStream out) {
        status.set(look(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance())));
        apis.addAll(look(stub -> stub.getCloudBudget(GetCloudBudgetRequest.getDefaultInstance()))
                .getApisList());
        enis.addAll(look(stub -> stub.listEnis(ListEnisRequest.getDefaultInstance()))
                .getEnisList());
        ListCloudCallsRequest failed =
                ListCloudCallsRequest.newBuilder().setFailed(true).build();
        session.daemon().stream(DaemonCommand.LIST, stub -> stub.listCloudCalls(failed))
                .forEachRemaining(part -> failedCalls.addAll(part.getCallsList()));
        session.daemon().stream(DaemonCommand.LIST, stub -> stub.watchEvents(WatchEventsRequest.getDefaultInstance()))
                .forEachRemaining(part -> events.addAll(part.getEventsList()));
        GetLeaseHistoryRequest hour = GetLeaseHistoryRequest.newBuilder()
                .setFrom(TimeFormat.timestamp(session.clock().instant().minus(Duration.ofHours(1))))
                .build();
        leases.addAll(look(stub -> stub.getLeaseHistory(hour)).getLeasesList());
        return Failure.NONE;
    }

    /**
     * The explanation of what the doctor found something about, and the steps of the last operations that failed. Each
     * is asked for once, and written as text and as JSON.
     */
    private List<BundlePart> followUps() {
        String findings = "explain of what doctor finds WARN or worse";
        String failed = "the steps of what trace --failed lists";
        return List.of(
                new BundlePart("stories/findings.txt", findings, true, this::findings),
                new BundlePart("stories/findings.json", findings + ", as JSON", true, this::findingsJson),
                new BundlePart("stories/failures.txt", failed, true, this::failures),
                new BundlePart("stories/failures.json", failed + ", as JSON", true, this::failuresJson));
    }

    private Failure findings(OutputStream out) throws IOException {
        List<String> lines = new ArrayList<>();
        for (ExplainReply reply : explained()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(ExplainCommands.reply(reply, renderContext(), true));
        }
        return written(lines.isEmpty() ? List.of("doctor finds nothing that can be explained") : lines, out);
    }

    private Failure findingsJson(OutputStream out) throws IOException {
        String documents = explained().stream().map(JsonOutput::document).collect(Collectors.joining(",\n"));
        return written(List.of("[" + documents + "]"), out);
    }

    private Failure failures(OutputStream out) throws IOException {
        GetTraceReply failed = once(failures, this::failed);
        boolean none = failed.getStoriesCount() == 0;
        return written(
                none
                        ? TraceViews.none(failed, renderContext())
                        : TraceViews.timelines(failed, "", true, renderContext()),
                out);
    }

    private Failure failuresJson(OutputStream out) throws IOException {
        return written(List.of(JsonOutput.document(once(failures, this::failed))), out);
    }

    private static <T> T once(AtomicReference<Optional<T>> known, Supplier<T> ask) {
        T answer = known.get().orElseGet(ask);
        known.set(Optional.of(answer));
        return answer;
    }

    private List<ExplainReply> explained() {
        return once(explained, this::explain);
    }

    private List<ExplainReply> explain() {
        RunDoctorReply diagnosis = session.daemon()
                .inspect(DoctorCommand.RUN, stub -> stub.runDoctor(RunDoctorRequest.getDefaultInstance()));
        return diagnosis.getFindingsList().stream()
                .filter(finding -> DoctorCommand.Level.of(finding).compareTo(DoctorCommand.Level.WARN) >= 0)
                .flatMap(finding -> finding.getEvidenceList().stream())
                .map(DoctorEvidence::getSubject)
                .filter(subject -> !subject.isBlank())
                .distinct()
                .limit(MOST_EXPLAINED)
                .map(subject -> ExplainRequest.newBuilder().setWhat(subject).build())
                .map(request -> session.daemon().inspect(ExplainCommands.Explain.WITHIN, stub -> stub.explain(request)))
                // evidence may be about a file as well, of which there is nothing to explain
                .filter(reply -> reply.getThingsCount() > 0)
                .toList();
    }

    private GetTraceReply failed() {
        GetTraceRequest.Builder request =
                GetTraceRequest.newBuilder().setFailed(true).setLimit(MOST_FAILURES);
        return ExplainCommands.Trace.whole(
                session.daemon().stream(DaemonCommand.LIST, stub -> stub.getTrace(request.build())));
    }

    private RenderContext renderContext() {
        RenderContext now = session.renderContext();
        return new RenderContext(Palette.PLAIN, now.now(), now.zone(), false);
    }
}
