package io.enipam.shell.audit;

import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.Moment.PastSpan;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.AuditEntry;
import io.enipam.v1.ListAuditReply;
import io.enipam.v1.ListAuditRequest;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "audit", description = "Who changed what: the calls that were to change something, the latest last.")
public final class AuditCommand extends ListCommand<AuditEntry> {
    @Option(
            names = "--since",
            paramLabel = "SPAN",
            converter = PastSpan.class,
            description = "Only calls of the last so long, such as 10m or 3d.")
    @Nullable
    Duration since;

    @Option(names = "--user", paramLabel = "USER", description = "Only calls of this user: a name, or a uid.")
    String user = "";

    @Option(names = "--failed", description = "Only what failed or was refused.")
    boolean failed;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            description = "No more than the last N; 0 for 10,000. By default ${DEFAULT-VALUE}.")
    int limit = 50;

    @Override
    public void prepare() {
        super.prepare();
        ListOptions.requireLimit(limit, "Say how many, such as -n 5, or 0 for 10000");
    }

    @Override
    protected Listed<AuditEntry> listed() {
        ListAuditRequest.Builder request =
                ListAuditRequest.newBuilder().setUser(user).setFailed(failed).setLimit(limit);
        if (since != null) {
            request.setFrom(TimeFormat.timestamp(session.now().minus(since)));
        }
        return parts(ENTRIES, stub -> stub.listAudit(request.build()), ListAuditReply::getEntriesList);
    }

    private static final TableListing<AuditEntry> ENTRIES = TableListing.<AuditEntry>of(
                    "entries", AuditEntry::getCommand)
            .none("nobody has changed anything, as far as the audit log reaches", "")
            .clock("time", "TIME", AuditEntry::getAt, Tone.LABEL)
            .text("user", "USER", AuditCommand::user)
            .text("command", "COMMAND", AuditEntry::getCommand)
            .text("what", "WHAT", AuditCommand::what)
            .state("outcome", "OUTCOME", AuditEntry::getOutcome)
            .wideText("container", "CONTAINER", AuditEntry::getContainer)
            .wideNumber("uid", "UID", AuditEntry::getUid)
            .wideNumber("pid", "PID", AuditEntry::getPid)
            .wideNumber("count", "COUNT", AuditEntry::getCount)
            .build();

    /** With who a shell on another machine says that it is. */
    private static String user(AuditEntry entry) {
        String user = entry.getUser().isEmpty() ? Long.toString(entry.getUid()) : entry.getUser();
        return entry.getCaller().isEmpty() ? user : user + " for " + entry.getCaller();
    }

    private static String what(AuditEntry entry) {
        return Stream.of(entry.getPod(), entry.getName(), entry.getDryRun() ? "(dry run)" : "")
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(" "));
    }
}
