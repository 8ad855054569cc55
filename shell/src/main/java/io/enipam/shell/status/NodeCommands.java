package io.enipam.shell.status;

import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.pool.FleetRowViews;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetVersionRequest;
import java.util.List;
import picocli.CommandLine.Command;

/** The daemon as a whole. */
public final class NodeCommands {
    private NodeCommands() {}

    @Command(
            name = "status",
            description = "The daemon's phase, pool, ENIs and last garbage collection.",
            footer = "  status -o json")
    public static final class Status extends DaemonCommand {
        public Status(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    inspect(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance())),
                    NodeViews::status,
                    reply -> List.of(reply.getNode()),
                    FleetRowViews.STATUS);
        }
    }

    @Command(name = "version", description = "The versions of this shell and of the daemon.", footer = "  version")
    public static final class Version extends DaemonCommand {
        public Version(Session session) {
            super(session);
        }

        @Override
        public void run() {
            show(
                    inspect(stub -> stub.getVersion(GetVersionRequest.getDefaultInstance())),
                    (reply, look) -> NodeViews.version(Session.version(), reply, look),
                    reply -> List.of(reply.getVersion()),
                    FleetRowViews.VERSION);
        }
    }

    @Command(
            name = "show",
            description = "The configuration in force, and where each value comes from.",
            footer = "  config show")
    public static final class ConfigShow extends ListCommand<ConfigEntry> {
        public ConfigShow(Session session) {
            super(session);
        }

        @Override
        public TableListing<ConfigEntry> listing() {
            return NodeViews.CONFIG;
        }

        @Override
        public ListReply<ConfigEntry> ask() {
            return whole(stub -> stub.getConfig(GetConfigRequest.getDefaultInstance()), GetConfigReply::getEntriesList);
        }
    }
}
