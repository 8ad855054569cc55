package io.enipam.shell.explain;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Tone;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import io.enipam.v1.GetTraceReply;
import io.enipam.v1.GetTraceRequest;
import io.enipam.v1.TraceMemory;
import io.enipam.v1.TraceStory;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
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
            description = {
                "What an address, pod, ENI or container is, why it is so, and what comes next.",
                "It asks every source: the database, the pool, the book of ENIs, the cloud, the kernel and the API server. Where they differ, and go on to differ while nothing is under way, the lines are marked. The cloud's answer may be half a minute old, unless it is asked anew. With -o wide also the last events and calls of the cloud about it."
            })
    public static final class Explain extends DaemonCommand {
        /** The cloud may be asked three times, each with its own timeout. */
        public static final Duration WITHIN = Duration.ofSeconds(25);

        @Completes(CompletionKind.ANYTHING)
        @Parameters(
                paramLabel = "IP|POD|ENI|CONTAINER",
                description =
                        "An address, a pod (NS/NAME, or its name), an ENI's id or MAC, a container's id or how it begins, or a resource's id.")
        String what = "";

        @Option(names = "--anew", description = "Ask the cloud anew, whatever it said a moment ago.")
        boolean anew;

        @Override
        public void run() {
            ExplainRequest.Builder request =
                    ExplainRequest.newBuilder().setWhat(what).setAnew(anew);
            ExplainReply reply = waiting(() -> session.daemon().inspect(WITHIN, stub -> stub.explain(request.build())));
            show(
                    reply,
                    (r, look) -> ExplainViews.reply(r, look, format() == OutputFormat.WIDE),
                    r -> r.getThingsList().stream().map(Explanation::getName).toList());
            if (reply.getThingsCount() == 0) {
                String near = "Did you mean " + String.join(" or ", reply.getNearestList()) + "?";
                String lists = "'pool inuse', 'pod list' and 'eni list' show what there is";
                String hint = reply.getNearestCount() == 0 ? lists : near;
                throw ShellException.verdict("NOT_FOUND", "nobody here knows '" + what + "'", hint);
            }
        }
    }

    @Command(
            name = "trace",
            description = {
                "What was done for a pod, a container, an address or an ENI, step by step, also what failed; the latest last.",
                "TARGET is NS/NAME, a container id or its beginning, an address, an ENI, or a request id of the cloud. Without it the"
                        + " latest operations are listed. OFFSET is when a step began after the operation did, TOOK how long it"
                        + " took; steps that are part of another are indented. A call of the cloud that served several pods is in"
                        + " the story of each. The daemon remembers trace.stories operations, and none of before its start."
            },
            footer = {
                "  trace --failed",
                "  trace default/web-0 -n 1",
                "",
                "  ADD default/web-0  container sim-3f2a (eth0)  by shell, uid 0, pid 4711",
                "  09:12:44.120  FAILED CLOUD_FAILED after 61.3 ms",
                "    OFFSET   TOOK     STEP",
                "    0.00 ms  0.03 ms  pod's turn",
                "    0.05 ms  0.21 ms  pod looked up            from API server",
                "    0.40 ms  60.8 ms  address                  waited, place 1  FAILED ...",
                "    0.90 ms  60.1 ms    address made           FAILED UNAUTHORIZED",
                "    5.40 ms  55.2 ms    CreateNetworkInterface vsw-a  FAILED Forbidden.RAM",
                "    5.50 ms  55.0 ms      attempt              request C108F264  FAILED ...",
                "    what to do: correct the RAM policy; it is tried again every minute"
            })
    public static final class Trace extends DaemonCommand {
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
                converter = DurationConverter.class,
                description = "Only what began in the last so long, such as 10m.")
        @Nullable
        Duration since;

        @Mixin
        ListOptions view = new ListOptions();

        private TraceMemory memory = TraceMemory.getDefaultInstance();

        @Override
        public void prepare() {
            if (limit < 0) {
                throw ShellException.usage("-n " + limit + " is below 0", "Say how many, such as -n 5, or 0 for all");
            }
            if (!target.isEmpty()) {
                view.refuse("trace of one thing", "Leave out its name, or it");
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
                new ListPrinter<>(this, view, TraceViews.LATEST, this::latest, Optional.of(this::below)).run();
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
            if (!chosen || ask(any.setLimit(1).setBrief(true).build()).getStoriesCount() == 0) {
                String memory = TraceViews.memory(reply.getMemory(), session.renderContext());
                String why = "nothing is remembered of '" + target + "': " + memory;
                String hint = "See 'trace' for the latest operations, 'pod list' for the pods there are";
                throw new ShellException(ExitStatus.REFUSED, "NOT_FOUND", why, hint);
            }
        }
    }
}
