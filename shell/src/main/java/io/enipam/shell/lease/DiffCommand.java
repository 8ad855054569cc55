package io.enipam.shell.lease;

import com.google.protobuf.util.Timestamps;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Moment;
import io.enipam.shell.core.PastLeases;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.LeaseRecord;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The leases that began or ended between two moments. */
@Command(name = "diff", description = "Which pods got and which lost an address between two moments.")
public final class DiffCommand extends ListCommand<LeaseRecord> implements KnowsThePast {
    @Option(
            names = "--from",
            required = true,
            paramLabel = "TIME",
            description = "So long ago, such as 10m or 3d, a time of the day, such as 05:50, or 2026-11-27T05:50:00Z.")
    String from = "";

    @Option(names = "--to", paramLabel = "TIME", description = "The same; by default now.")
    String to = "";

    // of the last answer
    private Instant begin = Instant.MIN;
    private Instant until = Instant.MAX;
    private int unchanged;

    @Override
    public void prepare() {
        super.prepare();
        if (!moment(from).isBefore(end())) {
            throw ShellException.usage("--from is not before --to", "As in: diff --from 05:50 --to 06:00");
        }
    }

    private Instant moment(String text) {
        RenderContext look = session.renderContext(0);
        return Moment.parse(text, look.now(), look.zone());
    }

    private Instant end() {
        return to.isEmpty() ? session.now() : moment(to);
    }

    @Override
    protected Listed<LeaseRecord> listed() {
        TableListing<LeaseRecord> listing = LeaseCommands.columns(
                        TableListing.<LeaseRecord>of("leases", LeaseRecord::getPod)
                                .none("no lease began or ended in that time", "")
                                .shown("change", "CHANGE", this::change, (lease, look) -> cell(change(lease))))
                .build();
        return new Listed<>(listing, this::ask).with(this::below);
    }

    private ListReply<LeaseRecord> ask() {
        begin = moment(from);
        until = end();
        List<LeaseRecord> all = PastLeases.between(this, "", begin, until);
        List<LeaseRecord> changed =
                all.stream().filter(lease -> !change(lease).isEmpty()).toList();
        unchanged = all.size() - changed.size();
        return ListReply.of(changed);
    }

    /** NEW, GONE, or BRIEF of one that began and ended between; empty of one that stood all the time. */
    private String change(LeaseRecord lease) {
        boolean began = Timestamps.compare(lease.getSince(), TimeFormat.timestamp(begin)) > 0;
        boolean ended = lease.hasEnd() && Timestamps.compare(lease.getEnd().getAt(), TimeFormat.timestamp(until)) <= 0;
        return began && ended ? "BRIEF" : began ? "NEW" : ended ? "GONE" : "";
    }

    private static Table.Cell cell(String change) {
        return new Table.Cell(
                change,
                switch (change) {
                    case "NEW" -> Tone.GOOD;
                    case "GONE" -> Tone.BAD;
                    default -> Tone.WAIT;
                });
    }

    private List<String> below(List<LeaseRecord> changed, RenderContext look) {
        return List.of(look.paint(
                Tone.LABEL,
                Table.counted(unchanged, "lease") + " stood from "
                        + Moment.show(begin, look.now(), look.zone()) + " to "
                        + Moment.show(until, look.now(), look.zone())));
    }
}
