package io.enipam.shell.cni;

import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.PodNameConverter;
import io.enipam.shell.core.Session;
import io.enipam.v1.CheckCniReply;
import io.enipam.v1.CheckCniRequest;
import io.enipam.v1.CniFinding;
import io.enipam.v1.GetCniStatusReply;
import io.enipam.v1.GetCniStatusRequest;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** CNI CHECK and CNI STATUS, by hand. Neither changes anything. */
public final class CniCheckCommands {
    private CniCheckCommands() {}

    @Command(
            name = "check",
            description = {
                "CNI CHECK: is what ADD set up still there?",
                "The pod's lease is held against what every source says of it: pool, database, cloud, kernel. What cannot be asked is UNKNOWN and fails nothing. Exit status 1 if anything is WRONG, as of a CNI plugin."
            })
    public static final class Check extends DaemonCommand {
        @Completes(CompletionKind.PODS)
        @Option(
                names = "--pod",
                required = true,
                paramLabel = "NS/NAME",
                converter = PodNameConverter.class,
                description = "The pod.")
        String pod = "";

        @Option(
                names = "--container",
                paramLabel = "ID",
                description = "The sandbox; by default the one that the pod has.")
        String container = "";

        @Option(names = "--ifname", paramLabel = "NAME", description = "The interface in it; by default eth0.")
        String ifname = "";

        public Check(Session session) {
            super(session);
        }

        @Override
        public void run() {
            CheckCniReply reply = inspect(stub -> stub.checkCni(CheckCniRequest.newBuilder()
                    .setPod(pod)
                    .setContainer(container)
                    .setIfname(ifname)
                    .build()));
            show(reply, CniCheckViews::check, Check::wrong);
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
    public static final class Status extends DaemonCommand {
        public Status(Session session) {
            super(session);
        }

        @Override
        public void run() {
            GetCniStatusReply reply = inspect(stub -> stub.getCniStatus(GetCniStatusRequest.getDefaultInstance()));
            show(reply, CniCheckViews::status, GetCniStatusReply::getReasonsList);
            if (!reply.getReady()) {
                throw ShellException.verdict(
                        "CNI_" + reply.getCode(),
                        reply.getReasonsCount() == 0 ? "no ADD can be served" : reply.getReasons(0),
                        "See 'status' and 'pool show'");
            }
        }
    }
}
