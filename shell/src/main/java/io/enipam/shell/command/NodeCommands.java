package io.enipam.shell.command;

import io.enipam.shell.render.FleetViews;
import io.enipam.shell.render.Listing;
import io.enipam.shell.render.NodeViews;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetVersionRequest;
import java.util.List;
import picocli.CommandLine.Command;

/** The daemon as a whole. */
final class NodeCommands {
    private NodeCommands() {}

    @Command(
            name = "status",
            description = "The daemon's phase, pool, ENIs and last garbage collection.",
            footer = "  status -o json")
    static final class Status extends DaemonCommand {
        Status(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance())),
                    NodeViews::status,
                    reply -> List.of(reply.getNode()),
                    FleetViews.STATUS);
        }
    }

    @Command(name = "version", description = "The versions of this shell and of the daemon.", footer = "  version")
    static final class Version extends DaemonCommand {
        Version(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(
                    inspect(stub -> stub.getVersion(GetVersionRequest.getDefaultInstance())),
                    (reply, look) -> NodeViews.version(ShellVersion.get(), reply, look),
                    reply -> List.of(reply.getVersion()),
                    FleetViews.VERSION);
        }
    }

    @Command(
            name = "show",
            description = "The configuration in force, and where each value comes from.",
            footer = "  config show")
    static final class ConfigShow extends ListCommand<ConfigEntry> {
        ConfigShow(Session session) {
            super(session);
        }

        @Override
        Listing<ConfigEntry> listing() {
            return NodeViews.CONFIG;
        }

        @Override
        Answer<ConfigEntry> ask() {
            return whole(stub -> stub.getConfig(GetConfigRequest.getDefaultInstance()), GetConfigReply::getEntriesList);
        }
    }
}
