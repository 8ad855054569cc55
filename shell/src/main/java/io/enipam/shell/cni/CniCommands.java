package io.enipam.shell.cni;

import com.google.protobuf.util.Durations;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.PodNameConverter;
import io.enipam.shell.core.Session;
import io.enipam.shell.pod.PodViews;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** What a container runtime asks for, by hand. */
public final class CniCommands {
    /** Longer than the daemon itself waits (the CNI timeout of terway is 120 s), so that its reason arrives first. */
    private static final Duration CNI = Duration.ofSeconds(150);

    /** What the answer may take on its way, beyond the time that the daemon was given. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private CniCommands() {}

    @Command(
            name = "add",
            description = {
                "CNI ADD: give a pod an address.",
                "Without --netns it is simulated: all of it but the kernel. With it the pod is connected in the kernel, as a runtime has it done. Asked again, the same sandbox has the same address."
            },
            footer = {"  cni add --pod default/web-0", "  cni add --pod default/web-1 --timeout 2s -o json"})
    public static final class Add extends ControlCommand {
        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                required = true,
                paramLabel = "NS/NAME",
                converter = PodNameConverter.class,
                description = "The pod.")
        String pod = "";

        @Option(names = "--container", paramLabel = "ID", description = "The sandbox; by default derived from the pod.")
        String container = "";

        @Completes(CompletionKind.FILES)
        @Option(
                names = "--netns",
                paramLabel = "PATH",
                description = "The pod's network namespace, such as /run/netns/web-0.")
        String netns = "";

        @Option(names = "--ifname", paramLabel = "NAME", description = "The interface in it; by default eth0.")
        String ifname = "";

        @Option(
                names = "--timeout",
                paramLabel = "TIME",
                converter = DurationConverter.class,
                description = "How long to wait for an address, such as 10s.")
        @Nullable
        Duration timeout;

        public Add(Session session) {
            super(session);
        }

        @Override
        public void run() {
            CniAddRequest.Builder request = CniAddRequest.newBuilder()
                    .setPod(pod)
                    .setContainer(container)
                    .setNetns(netns)
                    .setIfname(ifname);
            Duration within = CNI;
            if (timeout != null) {
                request.setTimeout(Durations.fromNanos(timeout.toNanos()));
                within = timeout.plus(GRACE);
            }
            show(
                    control(within, stub -> stub.cniAdd(request.build())),
                    PodViews::added,
                    reply -> reply.getLease().getResource().getAddressesList());
        }
    }

    @Command(
            name = "del",
            description = {
                "CNI DEL: take a pod's address back.",
                "What was connected in the kernel is disconnected. Succeeds as well if the pod held none."
            },
            footer = "  cni del --pod default/web-0")
    public static final class Del extends ControlCommand {
        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                required = true,
                paramLabel = "NS/NAME",
                converter = PodNameConverter.class,
                description = "The pod.")
        String pod = "";

        @Completes(CompletionKind.CONTAINERS)
        @Option(
                names = "--container",
                paramLabel = "ID",
                description = "The sandbox; by default the one that the pod has.")
        String container = "";

        @Option(names = "--ifname", paramLabel = "NAME", description = "The interface in it; by default eth0.")
        String ifname = "";

        public Del(Session session) {
            super(session);
        }

        @Override
        public void run() {
            CniDelRequest request = CniDelRequest.newBuilder()
                    .setPod(pod)
                    .setContainer(container)
                    .setIfname(ifname)
                    .build();
            show(
                    control(CNI, stub -> stub.cniDel(request)),
                    (reply, look) -> PodViews.deleted(pod, reply, look),
                    reply -> reply.getReleased().getResource().getAddressesList());
        }
    }
}
