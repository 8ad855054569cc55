package io.enipam.shell.lease;

import com.google.protobuf.Timestamp;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand.KnowsThePast;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Moment;
import io.enipam.shell.core.Moment.PastSpan;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.shell.pool.PoolViews;
import io.enipam.v1.GetLeaseHistoryReply;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.LeaseHistoryState;
import io.enipam.v1.LeaseRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "lease",
        description = "Who had which address, also before the daemon started.",
        subcommands = LeaseCommands.History.class)
public final class LeaseCommands {
    private LeaseCommands() {}

    @Command(name = "who", description = "Who has an address, and who had it before.")
    public static final class Who extends PastLeases {
        @Completes(CompletionKind.ADDRESSES)
        @Parameters(paramLabel = "ADDRESS", description = "An IPv4 or IPv6 address.")
        String address = "";

        @Option(
                names = "--at",
                paramLabel = "TIME",
                description = "Who had it then: so long ago, such as 10m or 3d, a time of the day, such as 05:57, or"
                        + " 2026-11-27T05:57:00Z.")
        String at = "";

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                description = "No more than the last N; 0 for 5000. By default ${DEFAULT-VALUE}.")
        int limit = 10;

        @Override
        GetLeaseHistoryRequest.Builder request() {
            GetLeaseHistoryRequest.Builder request =
                    GetLeaseHistoryRequest.newBuilder().setWhat(address).setLimit(limit);
            RenderContext look = session.renderContext();
            Optional<Instant> moment =
                    at.isEmpty() ? session.past() : Optional.of(Moment.parse(at, look.now(), look.zone()));
            moment.map(TimeFormat::timestamp)
                    .ifPresent(then -> request.setFrom(then).setTo(then));
            return request;
        }
    }

    @Command(name = "history", description = "The leases that a pod, an address, an ENI or a container has and had.")
    public static final class History extends PastLeases {
        @Completes(CompletionKind.ANYTHING)
        @Parameters(
                arity = "0..1",
                paramLabel = "POD|IP|ENI|CONTAINER",
                description =
                        "A pod (NS/NAME, its name or UID), an address, an ENI, a resource, a container's id or how"
                                + " it begins; without it the latest of all.")
        String what = "";

        @Option(
                names = "--since",
                paramLabel = "SPAN",
                converter = PastSpan.class,
                description = "Only what stood in the last so long, such as 10m or 3d.")
        @Nullable
        Duration since;

        @Option(
                names = {"-n", "--limit"},
                paramLabel = "N",
                description = "No more than the last N; 0 for 5000. By default ${DEFAULT-VALUE}.")
        int limit = 50;

        @Override
        GetLeaseHistoryRequest.Builder request() {
            GetLeaseHistoryRequest.Builder request =
                    GetLeaseHistoryRequest.newBuilder().setWhat(what).setLimit(limit);
            if (since != null) {
                Instant from = session.now().minus(since);
                request.setFrom(TimeFormat.timestamp(from));
            }
            session.past().ifPresent(then -> request.setTo(TimeFormat.timestamp(then)));
            return request;
        }
    }

    /** Lists leases, and says below what the history has. */
    abstract static class PastLeases extends ListCommand<LeaseRecord> implements KnowsThePast {
        private LeaseHistoryState history = LeaseHistoryState.getDefaultInstance();

        /** What is asked for; throws a usage error if what was typed makes no sense. */
        abstract GetLeaseHistoryRequest.Builder request();

        @Override
        public void prepare() {
            super.prepare();
            ListOptions.requireLimit(request().getLimit(), "Say how many, such as -n 5, or 0 for 5000");
        }

        @Override
        protected Listed<LeaseRecord> listed() {
            return new Listed<>(LEASES, this::ask).with((leases, look) -> LeaseCommands.below(history, look));
        }

        private ListReply<LeaseRecord> ask() {
            GetLeaseHistoryReply reply =
                    inspect(stub -> stub.getLeaseHistory(request().build()));
            history = reply.getHistory();
            return ListReply.of(reply, reply.getLeasesList());
        }
    }

    private static final TableListing<LeaseRecord> LEASES = columns(
                    TableListing.<LeaseRecord>of("leases", LeaseRecord::getPod)
                            .none("no lease is known of it in that time", ""))
            .build();

    /** What is reported of a lease, behind the columns that are there. */
    static TableListing.Builder<LeaseRecord> columns(TableListing.Builder<LeaseRecord> first) {
        return first.text("address", "ADDRESS", lease -> String.join(", ", lease.getAddressesList()))
                .text("pod", "POD", LeaseRecord::getPod)
                .by(
                        "since",
                        "SINCE",
                        lease -> TimeFormat.millis(lease.getSince()),
                        (lease, look) -> moment(lease.getSince(), look))
                .by(
                        "until",
                        "UNTIL",
                        lease -> lease.hasEnd()
                                ? TimeFormat.millis(lease.getEnd().getAt())
                                : Long.MAX_VALUE,
                        (lease, look) -> lease.hasEnd() ? moment(lease.getEnd().getAt(), look) : Table.cell(""))
                .state(
                        "ended",
                        "ENDED",
                        lease -> lease.hasEnd() ? lease.getEnd().getReason() : "IN_USE")
                .text("eni", "ENI", LeaseRecord::getEni)
                .shown(
                        "container",
                        "CONTAINER",
                        lease -> lease.getOwner().getContainer(),
                        (lease, look) ->
                                Table.cell(PoolViews.container(lease.getOwner().getContainer())))
                .wideText("uid", "UID", LeaseRecord::getPodUid)
                .wideText("ifname", "IFNAME", lease -> lease.getOwner().getIfname())
                .wideText("network", "NETWORK", lease -> lease.getOwner().getNetwork())
                .wideText("id", "ID", LeaseRecord::getResource)
                .wideText("by", "BY", lease -> lease.getEnd().getBy())
                .wideText("detail", "DETAIL", lease -> lease.getEnd().getDetail());
    }

    private static Table.Cell moment(Timestamp at, RenderContext look) {
        return Table.cell(Moment.show(TimeFormat.instant(at), look.now(), look.zone()));
    }

    private static List<String> below(LeaseHistoryState history, RenderContext look) {
        String kept = history.getLeases() == 0
                ? "no lease that ended is remembered yet"
                : Table.counted(history.getLeases(), "lease") + " that ended remembered, since "
                        + Moment.show(TimeFormat.instant(history.getOldest()), look.now(), look.zone());
        String line = look.paint(Tone.LABEL, kept);
        return history.getTrouble().isEmpty()
                ? List.of(line)
                : List.of(line, look.paint(Tone.WAIT, "not complete: " + history.getTrouble()));
    }
}
