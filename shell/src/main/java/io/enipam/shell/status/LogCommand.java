package io.enipam.shell.status;

import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
import io.enipam.v1.GetLogReply;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.LogRecord;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "log",
        description = {
            "The end of the daemon's log, as it remembers it: up to 4000 records.",
            "It is there where no journal is, and without a login to the machine's log. What looks like a secret is written as"
                    + " ***. After a restart the daemon remembers nothing of before."
        })
public final class LogCommand extends ListCommand<LogRecord> {
    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            description = "Only this level and above: DEBUG, INFO, WARN, ERROR.")
    String level = "";

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "200",
            description = "No more than this many, the latest; 0 for all. By default 200.")
    int limit;

    public LogCommand(Session session) {
        super(session);
    }

    @Override
    public List<String> inBundle() {
        return List.of("log --limit 0");
    }

    @Override
    public TableListing<LogRecord> listing() {
        return LogViews.LIST;
    }

    @Override
    public ListReply<LogRecord> ask() {
        GetLogRequest request =
                GetLogRequest.newBuilder().setLevel(level).setLimit(limit).build();
        return parts(stub -> stub.getLog(request), GetLogReply::getRecordsList);
    }
}
