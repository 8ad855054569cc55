package io.enipam.shell.cni;

import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.Session;
import io.enipam.shell.gc.GcViews;
import io.enipam.v1.CniAttachment;
import io.enipam.v1.CniGcReply;
import io.enipam.v1.CniGcRequest;
import io.enipam.v1.GcReport;
import io.enipam.v1.RunGcRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** CNI GC, by hand. */
@Command(
        name = "gc",
        description = {
            "CNI GC: take back what belongs to no sandbox any more.",
            "With --valid, what the network has for any other sandbox ends: its lease, its connection in the kernel, whether its pod lives or not. Without --yes it shows what would end, and asks. Without --valid it is the same collection as 'gc run': which pods there are is asked of the API server."
        },
        footer = {"  cni gc --dry-run", "  cni gc --valid 9c3f61ab2d57,1be00f3a9d42 --dry-run"})
public final class CniGcCommand extends ControlCommand {
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

    @Option(names = "--dry-run", description = "Only say what would be taken back.")
    boolean dryRun;

    @Mixin
    ConfirmationOption consent = new ConfirmationOption();

    public CniGcCommand(Session session) {
        super(session);
    }

    /** Reads {@code ID} or {@code ID/IFNAME}; the daemon says whether there can be such. */
    static final class Attachment implements picocli.CommandLine.ITypeConverter<CniAttachment> {
        @Override
        public CniAttachment convert(String value) {
            int slash = value.indexOf('/');
            return CniAttachment.newBuilder()
                    .setContainer(slash < 0 ? value : value.substring(0, slash))
                    .setIfname(slash < 0 ? "" : value.substring(slash + 1))
                    .build();
        }
    }

    @Override
    public boolean changes() {
        return !dryRun;
    }

    @Override
    public boolean needsConfirmation() {
        return !valid.isEmpty() && !dryRun && !consent.yes;
    }

    @Override
    public void run() {
        if (valid.isEmpty()) {
            show(
                    control(
                            WITHIN,
                            stub -> stub.runGc(
                                    RunGcRequest.newBuilder().setDryRun(dryRun).build())),
                    (reply, look) -> GcViews.report(reply.getReport(), look),
                    reply -> pods(reply.getReport()));
            return;
        }
        if (dryRun || consent.yes) {
            show(collect(dryRun));
            return;
        }
        if (session.asker().isEmpty()) {
            throw ConfirmationOption.missing();
        }
        CniGcReply would = collect(true);
        if (would.getReport().getCollectedCount() + would.getDisconnectedCount() == 0) {
            show(would);
        } else if (consent.given(session, () -> GcViews.question(would))) {
            show(collect(false));
        }
    }

    private void show(CniGcReply reply) {
        show(reply, GcViews::ended, told -> pods(told.getReport()));
    }

    private CniGcReply collect(boolean dry) {
        return control(
                WITHIN,
                stub -> stub.cniGc(CniGcRequest.newBuilder()
                        .addAllValid(valid)
                        .setNetwork(network)
                        .setDryRun(dry)
                        .build()));
    }

    private static List<String> pods(GcReport report) {
        return report.getCollectedList().stream()
                .map(collected -> collected.getLease().getPod())
                .toList();
    }
}
