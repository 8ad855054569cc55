package io.enipam.shell.bundle;

import io.enipam.shell.bundle.BundlePart.Failure;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.JsonOutput;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Session;
import io.enipam.shell.doctor.DoctorCommand;
import io.enipam.shell.explain.ExplainCommands;
import io.enipam.shell.explain.ExplainViews;
import io.enipam.shell.explain.TraceViews;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What nobody could ask for without having read the rest: the explanation of what the doctor found something about, and the
 * steps of the last operations that failed. Each is asked for once, and written as text and as JSON.
 */
final class FollowUpBundleParts {
    /** Of many things with the same trouble the first tell enough. */
    private static final int MOST_EXPLAINED = 10;

    private static final int MOST_FAILURES = 50;

    private final Session session;
    private final AtomicReference<Optional<List<ExplainReply>>> explained = new AtomicReference<>(Optional.empty());
    private final AtomicReference<Optional<GetTraceReply>> failures = new AtomicReference<>(Optional.empty());

    FollowUpBundleParts(Session session) {
        this.session = session;
    }

    List<BundlePart> parts() {
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
            lines.addAll(ExplainViews.reply(reply, look(), true));
        }
        return written(lines.isEmpty() ? List.of("doctor finds nothing that can be explained") : lines, out);
    }

    private Failure findingsJson(OutputStream out) throws IOException {
        String documents = explained().stream().map(JsonOutput::document).collect(Collectors.joining(",\n"));
        return written(List.of("[" + documents + "]"), out);
    }

    private Failure failures(OutputStream out) throws IOException {
        GetTraceReply failed = failed();
        return written(
                failed.getStoriesCount() == 0
                        ? TraceViews.none(failed, look())
                        : TraceViews.timelines(failed, "", true, look()),
                out);
    }

    private Failure failuresJson(OutputStream out) throws IOException {
        return written(List.of(JsonOutput.document(failed())), out);
    }

    private List<ExplainReply> explained() {
        return once(explained, this::explain);
    }

    private GetTraceReply failed() {
        return once(failures, this::askFailed);
    }

    private static <T> T once(AtomicReference<Optional<T>> known, Supplier<T> ask) {
        T answer = known.get().orElseGet(ask);
        known.set(Optional.of(answer));
        return answer;
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
                .map(this::explain)
                // evidence may be about a file as well, of which there is nothing to explain
                .filter(reply -> reply.getThingsCount() > 0)
                .toList();
    }

    private ExplainReply explain(String what) {
        ExplainRequest request = ExplainRequest.newBuilder().setWhat(what).build();
        return session.daemon().inspect(ExplainCommands.Explain.WITHIN, stub -> stub.explain(request));
    }

    private GetTraceReply askFailed() {
        GetTraceRequest request = GetTraceRequest.newBuilder()
                .setFailed(true)
                .setLimit(MOST_FAILURES)
                .build();
        return ExplainCommands.Trace.whole(session.daemon().stream(DaemonCommand.LIST, stub -> stub.getTrace(request)));
    }

    private RenderContext look() {
        RenderContext now = session.renderContext();
        return new RenderContext(Palette.PLAIN, now.now(), now.zone(), false);
    }

    private static Failure written(List<String> lines, OutputStream out) throws IOException {
        out.write((String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
        return Failure.NONE;
    }
}
