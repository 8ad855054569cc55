package io.enipam.shell.pod;

import com.google.protobuf.Timestamp;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.PodNameConverter;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.plugin.GrantViews;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.GetPodReply;
import io.enipam.v1.GetPodRequest;
import io.enipam.v1.Lease;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import io.enipam.v1.PodInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "pod",
        description = "The node's pods.",
        subcommands = {PodCommands.ListAll.class, PodCommands.Show.class, PodCommands.Delete.class})
public final class PodCommands {
    private PodCommands() {}

    @Command(name = "list", description = "The node's pods and their addresses.")
    public static final class ListAll extends ListCommand<PodInfo> implements KnowsThePast {
        @Override
        protected Listed<PodInfo> listed() {
            if (session.past().isPresent()) {
                Instant then = session.past().get();
                return new Listed<>(PodCommands.PAST, () -> ListReply.of(withAddress(this, then))).ofThePast();
            }
            return parts(
                    PodCommands.LIST,
                    stub -> stub.listPods(ListPodsRequest.getDefaultInstance()),
                    ListPodsReply::getPodsList);
        }
    }

    /** Of the past those alone are known that had an address. */
    private static List<PodInfo> withAddress(DaemonCommand command, Instant then) {
        Map<String, PodInfo.Builder> pods = new TreeMap<>();
        PastLeases.at(command, then)
                .forEach(lease -> pods.computeIfAbsent(
                                lease.getPod(),
                                pod -> PodInfo.newBuilder()
                                        .setPod(pod)
                                        .setUid(lease.getPodUid())
                                        .setKnown(true))
                        .addLeases(lease));
        return pods.values().stream().map(PodInfo.Builder::build).toList();
    }

    @Command(name = "show", description = "One pod and what it holds.")
    public static final class Show extends DaemonCommand implements KnowsThePast {
        @Completes(CompletionKind.PODS)
        @Parameters(paramLabel = "NS/NAME", converter = PodNameConverter.class, description = "The pod.")
        String pod = "";

        @Override
        public void run() {
            if (session.past().isPresent()) {
                PodInfo then = withAddress(this, session.past().get()).stream()
                        .filter(info -> info.getPod().equals(pod))
                        .findFirst()
                        .orElseThrow(() -> ShellException.verdict(
                                "NOT_FOUND",
                                "pod " + pod + " had no address then, and what else it was is not recorded",
                                "See: lease history " + pod));
                show(
                        GetPodReply.newBuilder().setPod(then).build(),
                        (reply, look) -> PodCommands.past(reply.getPod(), look),
                        reply -> List.of(pod));
                return;
            }
            GetPodRequest request = GetPodRequest.newBuilder().setPod(pod).build();
            show(
                    inspect(stub -> stub.getPod(request)),
                    (reply, look) -> PodCommands.one(reply.getPod(), look),
                    reply -> List.of(reply.getPod().getPod()));
        }
    }

    @Command(name = "delete", description = "Make a simulated pod vanish, in a sandbox.")
    public static final class Delete extends ControlCommand {
        @Completes(CompletionKind.PODS)
        @Parameters(paramLabel = "NS/NAME", converter = PodNameConverter.class, description = "The pod.")
        String pod = "";

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        @Override
        public boolean needsConfirmation() {
            return !consent.yes;
        }

        @Override
        public void run() {
            if (!consent.yes && session.asker().isPresent()) {
                inspect(stub ->
                        stub.getPod(GetPodRequest.newBuilder().setPod(pod).build())); // or says that it is unknown
            }
            if (!consent.given(session, () -> "Delete pod " + pod + " without a DEL?")) {
                return;
            }
            DeletePodRequest request = DeletePodRequest.newBuilder().setPod(pod).build();
            show(
                    control(LOOK, stub -> stub.deletePod(request)),
                    PodCommands::vanished,
                    reply -> List.of(reply.getPod()));
        }
    }

    static final TableListing<PodInfo> LIST = TableListing.<PodInfo>of("pods", PodInfo::getPod)
            .none("no pods on this node", "; try: cni add --pod default/web-0")
            .text("pod", "POD", PodInfo::getPod)
            .shown(
                    "status",
                    "STATUS",
                    pod -> pod.getTrouble().isEmpty() ? status(pod).text() : pod.getTrouble(),
                    PodCommands::status)
            .text("address", "ADDRESS", PodCommands::addresses)
            .text("uid", "UID", PodInfo::getUid)
            .wideText("owner", "OWNER", PodInfo::getOwner)
            .wideText("eni", "ENI", pod -> joined(pod, lease -> PoolViews.eni(lease.getResource())))
            .wideText(
                    "container",
                    "CONTAINER",
                    pod -> joined(pod, lease -> lease.getOwner().getContainer()))
            .wideAge("age", "AGE", PodCommands::since)
            .build();

    private static final TableListing<PodInfo> PAST = LIST.past("no pod had an address", "status", "owner");

    private static List<String> past(PodInfo pod, RenderContext look) {
        List<String> lines = new ArrayList<>(Table.details()
                .detail("pod", pod.getPod())
                .detail("uid", pod.getUid())
                .detail("status", "-")
                .lines(look));
        Table.section(lines, PoolViews.inUse(pod.getLeasesList(), look));
        lines.add(ListPrinter.notRecorded(look));
        return lines;
    }

    private static Timestamp since(PodInfo pod) {
        if (pod.getLeasesCount() == 0) {
            return pod.getGrantsCount() == 0
                    ? Timestamp.getDefaultInstance()
                    : pod.getGrants(0).getSince();
        }
        return pod.getLeases(0).getSince();
    }

    private static String joined(PodInfo pod, Function<Lease, String> part) {
        return pod.getLeasesList().stream().map(part).distinct().collect(Collectors.joining(", "));
    }

    public static List<String> one(PodInfo pod, RenderContext look) {
        String name = Palette.clean(pod.getPod());
        String told = String.join(", ", pod.getToldAddressesList()) + " in its status";
        String keeps = "its address for " + TimeFormat.span(TimeFormat.duration(pod.getStick())) + " after its end";
        boolean holdsTooLong =
                pod.getLeasesCount() + pod.getGrantsCount() > 0 && (!pod.getKnown() || pod.getFinished());
        List<String> lines = new ArrayList<>(Table.details()
                .detail("pod", pod.getPod())
                .detail("uid", pod.getUid())
                .detail("status", status(pod, look))
                .detailIfAny("owner", pod.getOwner())
                .detailIf(pod.getToldAddressesCount() > 0, "told", told)
                .detailIf(pod.hasStick(), "keeps", keeps)
                .detailIf(look.advice() && (holdsTooLong || !pod.getTrouble().isEmpty()), "try", "explain " + name)
                .lines(look));
        lines.add("");
        if (pod.getLeasesCount() == 0 && pod.getGrantsCount() > 0) {
            lines.addAll(GrantViews.ofOne(pod.getGrantsList(), look));
        } else if (pod.getLeasesCount() == 0) {
            String advice = "; try: explain " + name + ", which says why, or cni add --pod " + name;
            lines.add(look.withAdvice("it holds no address", advice));
        } else {
            lines.addAll(PoolViews.inUse(pod.getLeasesList(), look));
            Table.section(lines, GrantViews.ofOne(pod.getGrantsList(), look));
        }
        return lines;
    }

    private static Table.Cell status(PodInfo pod, RenderContext look) {
        return pod.getTrouble().isEmpty()
                ? status(pod)
                : new Table.Cell(
                        pod.getTrouble() + " " + look.age(pod.getTroubleSince()),
                        pod.getTrouble().startsWith("LOST") ? Tone.BAD : Tone.WAIT);
    }

    private static Table.Cell status(PodInfo pod) {
        String phase = pod.getPhase().toLowerCase(Locale.ROOT);
        if (!pod.getKnown()) {
            // a phase is known as long as the API server cannot be asked whether the pod is gone
            return phase.isEmpty() ? new Table.Cell("gone", Tone.BAD) : new Table.Cell(phase, Tone.WAIT);
        } else if (pod.getFinished() || pod.hasDeleting()) {
            return new Table.Cell(pod.getFinished() ? "finished" : "deleting", Tone.WAIT);
        }
        return new Table.Cell(phase.isEmpty() ? "known" : phase, phase.equals("pending") ? Tone.WAIT : Tone.GOOD);
    }

    static List<String> vanished(DeletePodReply reply, RenderContext look) {
        String pod = Palette.clean(reply.getPod());
        return reply.getLeasesCount() == 0
                ? List.of(pod + " is gone; it held no address")
                : List.of(pod + " is gone without a DEL and still holds " + addresses(reply.getLeasesList())
                        + "; the next garbage collection takes that back, or now: gc run");
    }

    private static String addresses(PodInfo pod) {
        return Stream.concat(
                        pod.getLeasesCount() == 0 ? Stream.empty() : Stream.of(addresses(pod.getLeasesList())),
                        pod.getGrantsList().stream()
                                .map(GrantViews::addresses)
                                .filter(text -> !text.isEmpty())
                                .map(Palette::clean))
                .collect(Collectors.joining(", "));
    }

    private static String addresses(List<Lease> leases) {
        return leases.stream()
                .map(lease -> Palette.clean(PoolViews.addresses(lease.getResource())))
                .collect(Collectors.joining(", "));
    }
}
