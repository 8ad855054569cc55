package io.enipam.shell.command;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.render.CheckViews;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniFinding;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.GetCniStatusRequest;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** CNI CHECK and CNI STATUS, by hand. Neither changes anything. */
final class CniCheckCommands {
    private CniCheckCommands() {}

    @Command(
            name = "check",
            description = {
                "CNI CHECK: is what ADD set up still there?",
                "The pod's lease is held against what every source says of it: pool, database, cloud, kernel. What cannot be asked is UNKNOWN and fails nothing. Exit status 1 if anything is WRONG, as of a CNI plugin."
            })
    static final class Check extends DaemonCommand {
        @Completes(LiveKind.PODS)
        @Option(
                names = "--pod",
                required = true,
                paramLabel = "NS/NAME",
                converter = PodName.class,
                description = "The pod.")
        String pod = "";

        @Option(
                names = "--container",
                paramLabel = "ID",
                description = "The sandbox; by default the one that the pod has.")
        String container = "";

        @Option(names = "--ifname", paramLabel = "NAME", description = "The interface in it; by default eth0.")
        String ifname = "";

        Check(Session session) {
            super(session);
        }

        @Override
        void run() {
            CheckCniReply reply = inspect(stub -> stub.checkCni(CheckCniRequest.newBuilder()
                    .setPod(pod)
                    .setContainer(container)
                    .setIfname(ifname)
                    .build()));
            show(reply, CheckViews::check, Check::wrong);
            if (!reply.getPassed()) {
                throw ShellException.verdict(
                        "CHECK_FAILED",
                        String.join("; ", details(reply)),
                        "To see all that is known of it: pod show " + pod + "; to set it up anew, delete the pod");
            }
        }

        private static List<String> wrong(CheckCniReply reply) {
            return reply.getFindingsList().stream()
                    .filter(finding -> finding.getState().equals("WRONG"))
                    .map(CniFinding::getWhat)
                    .toList();
        }

        private static List<String> details(CheckCniReply reply) {
            return reply.getFindingsList().stream()
                    .filter(finding -> finding.getState().equals("WRONG"))
                    .map(CniFinding::getDetail)
                    .distinct()
                    .toList();
        }
    }

    @Command(
            name = "status",
            description = {
                "CNI STATUS: could an ADD be served now?",
                "Exit status 1 if not; the CNI's code is 50 then, or 51 if pods that are there may be without their network, too."
            })
    static final class Status extends DaemonCommand {
        Status(Session session) {
            super(session);
        }

        @Override
        void run() {
            GetCniStatusReply reply = inspect(stub -> stub.getCniStatus(GetCniStatusRequest.getDefaultInstance()));
            show(reply, CheckViews::status, GetCniStatusReply::getReasonsList);
            if (!reply.getReady()) {
                throw ShellException.verdict(
                        "CNI_" + reply.getCode(),
                        reply.getReasonsCount() == 0 ? "no ADD can be served" : reply.getReasons(0),
                        "See 'status' and 'pool show'");
            }
        }
    }
}
