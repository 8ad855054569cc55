package io.enipam.shell.status;

import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetLogReply;
import io.enipam.v1.GetLogRequest;
import io.enipam.v1.GetStatusReply;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetVersionReply;
import io.enipam.v1.GetVersionRequest;
import io.enipam.v1.LogRecord;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The daemon as a whole. */
public final class NodeCommands {
    private NodeCommands() {}

    @Command(
            name = "status",
            description = "The daemon's phase, pool, ENIs and last garbage collection.",
            footer = "  status -o json")
    public static final class Status extends DaemonCommand {
        @Override
        public void run() {
            GetStatusReply status = inspect(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
            show(status, NodeViews::status, reply -> List.of(reply.getNode()), NodeViews.STATUS_ROW);
        }
    }

    @Command(name = "version", description = "The versions of this shell and of the daemon.", footer = "  version")
    public static final class Version extends DaemonCommand {
        @Override
        public void run() {
            GetVersionReply version = inspect(stub -> stub.getVersion(GetVersionRequest.getDefaultInstance()));
            show(version, NodeViews::version, reply -> List.of(reply.getVersion()), NodeViews.VERSION_ROW);
        }
    }

    @Command(name = "config", description = "The configuration.", subcommands = ConfigShow.class)
    public static final class Config {}

    @Command(
            name = "show",
            description = "The configuration in force, and where each value comes from.",
            footer = "  config show")
    public static final class ConfigShow extends ListCommand<ConfigEntry> {
        public ConfigShow() {
            super(NodeViews.CONFIG);
        }

        @Override
        protected ListReply<ConfigEntry> ask() {
            return whole(stub -> stub.getConfig(GetConfigRequest.getDefaultInstance()), GetConfigReply::getEntriesList);
        }
    }

    @Command(
            name = "log",
            description = {
                "The end of the daemon's log, as it remembers it: up to 4000 records.",
                "It is there where no journal is, and without a login to the machine's log. What looks like a secret is written as"
                        + " ***. After a restart the daemon remembers nothing of before."
            })
    public static final class Log extends ListCommand<LogRecord> {
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

        public Log() {
            super(NodeViews.LOG);
        }

        @Override
        public List<String> inBundle() {
            return List.of("log --limit 0");
        }

        @Override
        protected ListReply<LogRecord> ask() {
            GetLogRequest.Builder request =
                    GetLogRequest.newBuilder().setLevel(level).setLimit(limit);
            return parts(stub -> stub.getLog(request.build()), GetLogReply::getRecordsList);
        }
    }
}
