package io.enipam.shell.explain;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.OutputFormat;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.Explanation;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What something is, and why. */
@Command(
        name = "explain",
        description = {
            "What an address, pod, ENI or container is, why it is so, and what comes next.",
            "It asks every source: the database, the pool, the book of ENIs, the cloud, the kernel and the API server. Where they differ, and go on to differ while nothing is under way, the lines are marked. The cloud's answer may be half a minute old, unless it is asked anew. With -o wide also the last events and calls of the cloud about it."
        })
public final class ExplainCommand extends DaemonCommand {
    /** The cloud may be asked three times, each within its own patience. */
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
        ExplainRequest request =
                ExplainRequest.newBuilder().setWhat(what).setAnew(anew).build();
        ExplainReply reply = waiting(() -> session.daemon().inspect(WITHIN, stub -> stub.explain(request)));
        show(
                reply,
                (r, look) -> ExplainViews.reply(r, look, format() == OutputFormat.WIDE),
                r -> r.getThingsList().stream().map(Explanation::getName).toList());
        if (reply.getThingsCount() == 0) {
            throw ShellException.verdict(
                    "NOT_FOUND",
                    "nobody here knows '" + what + "'",
                    reply.getNearestCount() == 0
                            ? "'pool inuse', 'pod list' and 'eni list' show what there is"
                            : "Did you mean " + String.join(" or ", reply.getNearestList()) + "?");
        }
    }
}
