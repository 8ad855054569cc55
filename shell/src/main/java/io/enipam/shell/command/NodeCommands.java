package io.enipam.shell.command;

import io.enipam.shell.render.NodeViews;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.GetVersionRequest;
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
            show(inspect(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance())), NodeViews::status);
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
                    (reply, look) -> NodeViews.version(ShellVersion.get(), reply, look));
        }
    }

    @Command(
            name = "show",
            description = "The configuration in force, and where each value comes from.",
            footer = "  config show")
    static final class ConfigShow extends DaemonCommand {
        ConfigShow(Session session) {
            super(session);
        }

        @Override
        void run() {
            show(inspect(stub -> stub.getConfig(GetConfigRequest.getDefaultInstance())), NodeViews::config);
        }
    }
}
