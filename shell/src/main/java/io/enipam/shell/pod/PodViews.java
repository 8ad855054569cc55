package io.enipam.shell.pod;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.DeletePodReply;
import io.enipam.v1.Lease;
import io.enipam.v1.PodInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The node's pods. */
public final class PodViews {
    private PodViews() {}

    /** The node's pods. */
    static final TableListing<PodInfo> LIST = TableListing.<PodInfo>of("pods", PodInfo::getPod)
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
            .wideAge(
                    "age",
                    "AGE",
                    pod -> pod.getLeasesCount() == 0
                            ? Timestamp.getDefaultInstance()
                            : pod.getLeases(0).getSince())
            .build();

    private static String joined(PodInfo pod, Function<Lease, String> part) {
        return pod.getLeasesList().stream().map(part).distinct().collect(Collectors.joining(", "));
    }

    public static List<String> one(PodInfo pod, RenderContext look) {
        Table details = Table.details()
                .detail("pod", pod.getPod())
                .detail("uid", pod.getUid())
                .detail("status", status(pod))
                .detailIfAny("owner", pod.getOwner());
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
            // a phase is known as long as the API server cannot be asked whether the pod is gone
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

    static List<String> vanished(DeletePodReply reply, RenderContext look) {
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
