package io.enipam.shell.command;

import io.enipam.shell.attach.Exit;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.ExplainViews;
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
            "What an address, a pod, an ENI or a container is, why it is so, and what comes next.",
            "It asks every source: the database, the pool, the book of ENIs, the cloud, the kernel and the API server. Where they differ, and go on to differ while nothing is under way, the lines are marked. The cloud's answer may be half a minute old, unless it is asked anew. With -o wide also the last events and calls of the cloud about it. Exit status: 0 if somebody knows it, 1 if nobody does."
        },
        footer = {
            "  explain 10.0.1.7",
            "    address    10.0.1.7",
            "    state      COOLING for 12s, since 15:04:11",
            "    why        cooling down, because pod default/web-1 gave it back: stale traffic and connections of that pod die before another gets it",
            "    ENI        eni-bp1a2b3c",
            "    next       in 18s, at 15:04:41: the cool-down ends: it is idle, and the next pod may get it",
            "",
            "    SOURCE      SAYS                                           SINCE     ASKED",
            "    database    cooling after pod default/web-1                -         now",
            "    pool        COOLING, pod default/web-1                     15:04:11  now",
            "    ENI book    on eni-bp1a2b3c, which is InUse and has 3 ...  15:01:58  now",
            "    cloud       on eni-bp1a2b3c, which is InUse and attach...  -         8s ago",
            "    kernel      nothing of it                                  -         now",
            "    API server  pod default/web-1 exists                       -         now",
            "  explain default/web-1",
            "  explain eni-bp1a2b3c --anew",
            "  explain 3f2a9c -o wide | grep cloud",
            "See also: trace, doctor, events"
        })
final class ExplainCommand extends DaemonCommand {
    /** The cloud may be asked three times, each within its own patience. */
    private static final Duration WITHIN = Duration.ofSeconds(25);

    @Completes(LiveKind.ANYTHING)
    @Parameters(
            paramLabel = "IP|POD|ENI|CONTAINER",
            description =
                    "An address, a pod (NS/NAME, or its name), an ENI's id or MAC, a container's id or how it begins, or a resource's id.")
    String what = "";

    @Option(names = "--anew", description = "Ask the cloud anew, whatever it said a moment ago.")
    boolean anew;

    ExplainCommand(Session session) {
        super(session);
    }

    @Override
    void run() {
        ExplainRequest request =
                ExplainRequest.newBuilder().setWhat(what).setAnew(anew).build();
        ExplainReply reply = waiting(() -> session.daemon().inspect(WITHIN, stub -> stub.explain(request)));
        show(
                reply,
                (r, look) -> ExplainViews.reply(r, look, format() == OutputFormat.WIDE),
                r -> r.getThingsList().stream().map(Explanation::getName).toList());
        if (reply.getThingsCount() == 0) {
            throw new ShellException(
                    Exit.REFUSED,
                    "NOT_FOUND",
                    "nobody here knows '" + what + "'",
                    reply.getNearestCount() == 0
                            ? "'pool inuse', 'pod list' and 'eni list' show what there is"
                            : "Did you mean " + String.join(" or ", reply.getNearestList()) + "?");
        }
    }
}
