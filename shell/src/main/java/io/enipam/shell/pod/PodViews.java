package io.enipam.shell.pod;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.CniAddReply;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.Lease;
import io.enipam.v1.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Pods, and what happens to their addresses. */
public final class PodViews {
    private PodViews() {}

    /** The node's pods. */
    public static final TableListing<PodInfo> LIST = TableListing.<PodInfo>of("pods", PodInfo::getPod)
            .none("no pods on this node", "; try: cni add --pod default/web-0")
            .text("pod", "POD", PodInfo::getPod)
            .shown("status", "STATUS", pod -> status(pod).text(), (pod, look) -> status(pod))
            .text("address", "ADDRESS", pod -> addresses(pod.getLeasesList()))
            .text("uid", "UID", PodInfo::getUid)
            .wideText("owner", "OWNER", PodInfo::getOwner)
            .wideText("eni", "ENI", pod -> joined(pod, lease -> PoolViews.eni(lease.getResource())))
            .wideText(
                    "container",
                    "CONTAINER",
                    pod -> joined(pod, lease -> lease.getOwner().getContainer()))
            .wideBy(
                    "age",
                    "AGE",
                    pod -> -since(pod),
                    (pod, look) -> Table.cell(
                            pod.getLeasesCount() > 0 && pod.getLeases(0).hasSince()
                                    ? TimeFormat.age(pod.getLeases(0).getSince(), look.now())
                                    : ""))
            .build();

    private static String joined(PodInfo pod, Function<Lease, String> part) {
        return pod.getLeasesList().stream().map(part).distinct().collect(Collectors.joining(", "));
    }

    private static long since(PodInfo pod) {
        return pod.getLeasesCount() == 0
                ? 0
                : TimeFormat.millis(pod.getLeases(0).getSince());
    }

    public static List<String> one(PodInfo pod, RenderContext look) {
        Table details = Table.details()
                .detail("pod", pod.getPod())
                .detail("uid", pod.getUid())
                .detail("status", status(pod));
        if (!pod.getOwner().isEmpty()) {
            details.detail("owner", pod.getOwner());
        }
        if (pod.getToldAddressesCount() > 0) {
            details.detail("told", String.join(", ", pod.getToldAddressesList()) + " in its status");
        }
        if (pod.hasStick()) {
            details.detail(
                    "keeps",
                    "its address for " + TimeFormat.span(TimeFormat.duration(pod.getStick())) + " after its end");
        }
        // a pod that is over and still has an address
        if (look.advice() && pod.getLeasesCount() > 0 && (!pod.getKnown() || pod.getFinished())) {
            details.detail("try", "explain " + pod.getPod());
        }
        List<String> lines = new ArrayList<>(details.lines(look.palette()));
        lines.add("");
        lines.addAll(
                pod.getLeasesCount() == 0
                        ? List.of(look.withAdvice(
                                "it holds no address",
                                "; try: explain " + Palette.clean(pod.getPod()) + ", which says why, or cni add --pod "
                                        + Palette.clean(pod.getPod())))
                        : PoolViews.inUse(pod.getLeasesList(), look));
        return lines;
    }

    private static Table.Cell status(PodInfo pod) {
        if (!pod.getKnown()) {
            // while the API server is not heard nobody can say that it is
            return pod.getPhase().isEmpty()
                    ? new Table.Cell("gone", Tone.BAD)
                    : new Table.Cell(pod.getPhase().toLowerCase(Locale.ROOT), Tone.WAIT);
        }
        if (pod.getFinished()) {
            return new Table.Cell("finished", Tone.WAIT);
        }
        if (pod.hasDeleting()) {
            return new Table.Cell("deleting", Tone.WAIT);
        }
        return new Table.Cell(
                pod.getPhase().isEmpty() ? "known" : pod.getPhase().toLowerCase(Locale.ROOT),
                pod.getPhase().equals("Pending") ? Tone.WAIT : Tone.GOOD);
    }

    public static List<String> added(CniAddReply reply, RenderContext look) {
        Lease lease = reply.getLease();
        return Table.details()
                .detail("pod", lease.getPod())
                .detail("address", PoolViews.addresses(lease.getResource()))
                .detail("ENI", PoolViews.eni(lease.getResource()))
                .detail("container", lease.getOwner().getContainer())
                .detail(
                        "took",
                        TimeFormat.took(reply.getTook())
                                + (reply.getRepeated()
                                        ? " (repeated: it had this address already, nothing changed)"
                                        : ""))
                .lines(look.palette());
    }

    public static List<String> deleted(String pod, CniDelReply reply, RenderContext look) {
        if (!reply.hasReleased()) {
            return List.of("nothing was held by " + Palette.clean(pod) + ", so there was nothing to give back");
        }
        Lease lease = reply.getReleased();
        String address = PoolViews.addresses(lease.getResource());
        String fate = switch (reply.getState()) {
            case "COOLING" -> "is cooling" + until(reply, look) + ", then idle";
            case "RESERVED" -> "is reserved for " + lease.getPod() + until(reply, look) + ", then idle";
            case "IDLE" -> "is idle";
            case "INVALID" -> "was gone from the cloud already, and is dropped";
            case "DISPOSING" -> "goes back to where it came from";
            default -> "is " + reply.getState();
        };
        return List.of(Palette.clean(
                lease.getPod() + " gave back " + address + " in " + TimeFormat.took(reply.getTook()) + "; it " + fate));
    }

    private static String until(CniDelReply reply, RenderContext look) {
        return reply.hasUntil()
                ? " until " + TimeFormat.clock(reply.getUntil(), look.zone()) + " ("
                        + TimeFormat.left(reply.getUntil(), look.now()) + " from now)"
                : "";
    }

    public static List<String> vanished(DeletePodReply reply, RenderContext look) {
        String pod = Palette.clean(reply.getPod());
        return reply.getLeasesCount() == 0
                ? List.of(pod + " is gone; it held no address")
                : List.of(pod + " is gone without a DEL and still holds " + addresses(reply.getLeasesList())
                        + "; the next garbage collection takes that back, or now: gc run");
    }

    private static String addresses(List<Lease> leases) {
        return leases.stream()
                .map(lease -> Palette.clean(PoolViews.addresses(lease.getResource())))
                .collect(Collectors.joining(", "));
    }
}
