package io.enipam.shell.cni;

import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.PodNameConverter;
import io.enipam.shell.core.PreviewedCommand;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.gc.GcCommands;
import io.enipam.shell.pool.PoolViews;
import io.enipam.shell.status.TroubleViews;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniAttachment;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.CniFinding;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.GetCniStatusRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.Owner;
import io.enipam.v1.RunGcRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The calls of a container runtime, made by hand. CHECK and STATUS change nothing. */
@Command(
        name = "cni",
        description = "What a container runtime asks for.",
        subcommands = {
            CniCommands.Add.class,
            CniCommands.Del.class,
            CniCommands.Check.class,
            CniCommands.Status.class,
            CniCommands.Gc.class
        })
public final class CniCommands {
    /** Longer than the daemon itself waits (the CNI timeout of terway is 120 s), so that its reason arrives first. */
    private static final Duration CNI = Duration.ofSeconds(150);

    /** What the answer may take on its way, beyond the time that the daemon was given. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private CniCommands() {}

    /** The pod that a call is about, and the interface in it. */
    static class PodOptions {
        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                required = true,
                paramLabel = "NS/NAME",
                converter = PodNameConverter.class,
                description = "The pod.")
        String name = "";

        @Option(names = "--ifname", paramLabel = "NAME", description = "The interface in it; by default eth0.")
        String ifname = "";
    }

    /** The same, and the sandbox. */
    static final class SandboxOptions extends PodOptions {
        @Completes(CompletionKind.CONTAINERS)
        @Option(
                names = "--container",
                paramLabel = "ID",
                description = "The sandbox; by default the one that the pod has.")
        String container = "";
    }

    @Command(name = "add", description = "CNI ADD: give a pod an address.")
    public static final class Add extends ControlCommand {
        @Mixin
        PodOptions pod = new PodOptions();

        @Option(names = "--container", paramLabel = "ID", description = "The sandbox; by default derived from the pod.")
        String container = "";

        @Completes(CompletionKind.FILES)
        @Option(
                names = "--netns",
                paramLabel = "PATH",
                description = "The pod's network namespace, such as /run/netns/web-0.")
        String netns = "";

        @Option(names = "--timeout", paramLabel = "TIME", description = "How long to wait for an address, such as 10s.")
        @Nullable
        Duration timeout;

        @Override
        public void run() {
            CniAddRequest.Builder request =
                    CniAddRequest.newBuilder().setPod(pod.name).setIfname(pod.ifname);
            request.setContainer(container).setNetns(netns);
            Duration within = CNI;
            if (timeout != null) {
                request.setTimeout(Durations.fromNanos(timeout.toNanos()));
                within = timeout.plus(GRACE);
            }
            show(
                    answer(within, request.build()),
                    CniCommands::added,
                    reply -> reply.getLease().getResource().getAddressesList());
        }

        private CniAddReply answer(Duration wait, CniAddRequest request) {
            try {
                return control(wait, stub -> stub.cniAdd(request));
            } catch (ShellException e) {
                if (e.exit() == ExitStatus.INTERRUPTED) {
                    session.screen()
                            .err()
                            .println(
                                    "the daemon may still work on it, as it does for a runtime that gave up; to stop it"
                                            + " and take back what it gave: cni del --pod " + Palette.clean(pod.name));
                }
                throw e;
            }
        }
    }

    @Command(name = "del", description = "CNI DEL: take a pod's address back.")
    public static final class Del extends ControlCommand {
        @Mixin
        SandboxOptions pod = new SandboxOptions();

        @Override
        public void run() {
            CniDelRequest.Builder request =
                    CniDelRequest.newBuilder().setPod(pod.name).setIfname(pod.ifname);
            show(
                    control(
                            CNI,
                            stub -> stub.cniDel(
                                    request.setContainer(pod.container).build())),
                    (reply, look) -> CniCommands.deleted(pod.name, reply, look),
                    reply -> reply.getReleased().getResource().getAddressesList());
        }
    }

    @Command(name = "check", description = "CNI CHECK: is what ADD set up still there?")
    public static final class Check extends DaemonCommand {
        @Mixin
        SandboxOptions pod = new SandboxOptions();

        @Override
        public void run() {
            CheckCniRequest.Builder request =
                    CheckCniRequest.newBuilder().setPod(pod.name).setIfname(pod.ifname);
            CheckCniReply reply = inspect(
                    stub -> stub.checkCni(request.setContainer(pod.container).build()));
            show(reply, CniCommands::check, r -> wrong(r, CniFinding::getWhat));
            if (!reply.getPassed()) {
                throw ShellException.verdict(
                        "CHECK_FAILED",
                        wrong(reply, CniFinding::getDetail).stream().distinct().collect(Collectors.joining("; ")),
                        "To see all that is known of it: pod show " + pod.name + "; to set it up anew, delete the pod");
            }
        }

        private static List<String> wrong(CheckCniReply reply, Function<CniFinding, String> part) {
            return reply.getFindingsList().stream()
                    .filter(finding -> finding.getState().equals("WRONG"))
                    .map(part)
                    .toList();
        }
    }

    @Command(name = "status", description = "CNI STATUS: could an ADD be served now?")
    public static final class Status extends DaemonCommand {
        @Override
        public void run() {
            GetCniStatusReply reply = inspect(stub -> stub.getCniStatus(GetCniStatusRequest.getDefaultInstance()));
            show(reply, CniCommands::status, GetCniStatusReply::getReasonsList);
            if (!reply.getReady()) {
                throw ShellException.verdict(
                        "CNI_" + reply.getCode(),
                        reply.getReasonsCount() == 0 ? "no ADD can be served" : reply.getReasons(0),
                        "See 'status' and 'pool show'");
            }
        }
    }

    @Command(name = "gc", description = "CNI GC: take back what belongs to no sandbox any more.")
    public static final class Gc extends PreviewedCommand<CniGcReply> {
        /** It disconnects many pods, or asks the API server for each. */
        private static final Duration WITHIN = Duration.ofMinutes(5);

        @Completes(CompletionKind.CONTAINERS)
        @Option(
                names = "--valid",
                paramLabel = "ID[/IFNAME]",
                split = ",",
                converter = Attachment.class,
                description =
                        "A sandbox that stays; of its interfaces the named one, or all. Several are separated by commas.")
        List<CniAttachment> valid = new ArrayList<>();

        @Option(
                names = "--network",
                paramLabel = "NAME",
                description = "The network that --valid is about; by default the daemon's.")
        String network = "";

        @Override
        public boolean needsConfirmation() {
            return !valid.isEmpty() && super.needsConfirmation();
        }

        @Override
        protected void run() {
            if (!valid.isEmpty()) {
                super.run();
                return;
            }
            RunGcRequest request = RunGcRequest.newBuilder().setDryRun(dryRun).build();
            show(
                    control(WITHIN, stub -> stub.runGc(request)),
                    (reply, look) -> GcCommands.report(reply.getReport(), look),
                    reply -> GcCommands.pods(reply.getReport()));
        }

        @Override
        protected CniGcReply ask(boolean dry) {
            CniGcRequest.Builder request = CniGcRequest.newBuilder().addAllValid(valid);
            request.setNetwork(network).setDryRun(dry);
            return control(WITHIN, stub -> stub.cniGc(request.build()));
        }

        @Override
        protected Optional<String> question(CniGcReply preview) {
            boolean nothing = preview.getReport().getCollectedCount() + preview.getDisconnectedCount() == 0;
            return nothing ? Optional.empty() : Optional.of(CniCommands.question(preview));
        }

        @Override
        protected void show(CniGcReply reply) {
            show(reply, CniCommands::ended, told -> GcCommands.pods(told.getReport()));
        }

        /** Reads {@code ID} or {@code ID/IFNAME}; the daemon says whether there can be such. */
        static final class Attachment implements ITypeConverter<CniAttachment> {
            @Override
            public CniAttachment convert(String value) {
                String[] parts = value.split("/", 2);
                String ifname = parts.length > 1 ? parts[1] : "";
                return CniAttachment.newBuilder()
                        .setContainer(parts[0])
                        .setIfname(ifname)
                        .build();
            }
        }
    }

    static List<String> check(CheckCniReply reply, RenderContext look) {
        return Table.listed(look, reply.getFindingsList(), "WHAT  STATE  WHAT IT SAYS", finding -> {
            Tone tone = switch (finding.getState()) {
                case "OK" -> Tone.GOOD;
                case "WRONG" -> Tone.BAD;
                default -> Tone.WAIT;
            };
            return Table.cells(finding.getWhat(), new Table.Cell(finding.getState(), tone), finding.getDetail());
        });
    }

    static List<String> status(GetCniStatusReply reply, RenderContext look) {
        String not = look.paint(Tone.BAD, "not ready") + " (CNI code " + reply.getCode() + "): no ADD can be served";
        Table troubles = Table.details();
        TroubleViews.rows(reply.getTroublesList(), troubles, look);
        return Stream.concat(
                        Stream.of(reply.getReady() ? look.paint(Tone.GOOD, "ready") + ": an ADD can be served" : not),
                        troubles.lines(look).stream())
                .toList();
    }

    static List<String> added(CniAddReply reply, RenderContext look) {
        Lease lease = reply.getLease();
        String repeated = reply.getRepeated() ? " (repeated: it had this address already, nothing changed)" : "";
        return Table.details()
                .detail("pod", lease.getPod())
                .detail("address", PoolViews.addresses(lease.getResource()))
                .detail("ENI", PoolViews.eni(lease.getResource()))
                .detail("container", lease.getOwner().getContainer())
                .detail("took", TimeFormat.took(reply.getTook()) + repeated)
                .lines(look);
    }

    static List<String> deleted(String pod, CniDelReply reply, RenderContext look) {
        if (!reply.hasReleased()) {
            return List.of("nothing was held by " + Palette.clean(pod) + ", so there was nothing to give back");
        }
        Lease lease = reply.getReleased();
        String address = PoolViews.addresses(lease.getResource());
        Timestamp at = reply.getUntil();
        String until = reply.hasUntil() ? " until " + look.clock(at) + " (" + look.left(at) + " from now)" : "";
        String fate = switch (reply.getState()) {
            case "COOLING" -> "is cooling" + until + ", then idle";
            case "RESERVED" -> "is reserved for " + lease.getPod() + until + ", then idle";
            case "IDLE" -> "is idle";
            case "INVALID" -> "was gone from the cloud already, and is dropped";
            case "DISPOSING" -> "goes back to where it came from";
            default -> "is " + reply.getState();
        };
        return List.of(Palette.clean(
                lease.getPod() + " gave back " + address + " in " + TimeFormat.took(reply.getTook()) + "; it " + fate));
    }

    /** What a CNI GC ended: leases, and connections without one. */
    static List<String> ended(CniGcReply reply, RenderContext look) {
        List<String> lines = new ArrayList<>(GcCommands.report(reply.getReport(), look));
        String verb = reply.getReport().getDryRun() ? "would disconnect " : "disconnected ";
        for (Owner owner : reply.getDisconnectedList()) {
            String what = "container " + owner.getContainer() + ", interface " + owner.getIfname();
            lines.add(Palette.clean(verb + what + ", which has no lease"));
        }
        return lines;
    }

    static String question(CniGcReply would) {
        String pods = String.join(", ", GcCommands.pods(would.getReport()));
        int loose = would.getDisconnectedCount();
        return "End " + Table.counted(would.getReport().getCollectedCount(), "lease")
                + (pods.isEmpty() ? "" : " (" + pods + ")")
                + (loose == 0 ? "" : " and disconnect " + Table.counted(loose, "connection") + " without one")
                + "? A pod that runs loses its network.";
    }
}
