package io.enipam.shell.cloud;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.ListCommand;
import io.enipam.shell.core.ListPrinter.Listed;
import io.enipam.shell.core.ListReply;
import io.enipam.v1.AddCloudFaultRequest;
import io.enipam.v1.CloudFault;
import io.enipam.v1.DropCall;
import io.enipam.v1.FailCall;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.RemoveCloudFaultRequest;
import io.enipam.v1.StickEni;
import io.enipam.v1.TearAnswer;
import io.enipam.v1.ThrottleApi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "fault",
        description = "Calls to the cloud that go wrong.",
        subcommands = {CloudFaultCommands.ListAll.class, CloudFaultCommands.Add.class, CloudFaultCommands.Remove.class})
public final class CloudFaultCommands {
    private CloudFaultCommands() {}

    @Command(name = "list", description = "The faults that are set up, and how often they acted.")
    public static final class ListAll extends ListCommand<CloudFault> {
        private GetCloudReply cloud = GetCloudReply.getDefaultInstance();

        @Override
        protected Listed<CloudFault> listed() {
            return new Listed<>(CloudViews.FAULTS, this::ask).with((faults, look) -> CloudViews.conditions(cloud));
        }

        private ListReply<CloudFault> ask() {
            cloud = inspect(stub -> stub.getCloud(GetCloudRequest.getDefaultInstance()));
            return ListReply.of(cloud, cloud.getFaultsList());
        }
    }

    @Command(
            name = "add",
            sortOptions = false,
            description = "Make calls to the emulated cloud go wrong, in a sandbox.")
    public static final class Add extends ControlCommand {
        @Completes(CompletionKind.CLOUD_APIS)
        @Parameters(
                paramLabel = "API",
                description = "An action, '*' for all of them, metadata or metadata/PATH for the metadata service.")
        String api = "";

        @Completes(CompletionKind.ENIS)
        @Option(names = "--eni", paramLabel = "ID", description = "Only calls on this ENI.")
        String eni = "";

        @Option(names = "--nth", paramLabel = "N", description = "At the Nth call alone.")
        int nth;

        @Option(names = "--every", paramLabel = "N", description = "At every Nth call.")
        int every;

        @Option(names = "--percent", paramLabel = "P", description = "At each call with this probability.")
        double percent;

        @Option(names = "--at-most", paramLabel = "N", description = "So many times in all.")
        int atMost;

        @Completes(CompletionKind.CLOUD_CODES)
        @Option(names = "--code", paramLabel = "CODE", description = "The call is answered with this error.")
        String code = "";

        @Option(
                names = "--status",
                paramLabel = "N",
                description = "Its HTTP status, if not the usual one of the code.")
        int status;

        @Option(
                names = "--message",
                paramLabel = "TEXT",
                description = "Its message, if not the usual one of the code.")
        String message = "";

        @Option(names = "--after-work", description = "With --code: the work is done first.")
        boolean afterWork;

        @Option(names = "--delay", paramLabel = "TIME", description = "The call takes longer, before its work is done.")
        @Nullable
        Duration delay;

        @Option(names = "--drop-answer", description = "The work is done and the connection closed unanswered.")
        boolean dropAnswer;

        @Option(names = "--drop-request", description = "The connection is closed unanswered and nothing done.")
        boolean dropRequest;

        @Option(
                names = "--tear",
                paramLabel = "WHERE",
                completionCandidates = TearPoints.class,
                description = "The answer is cut: ${COMPLETION-CANDIDATES}.")
        String tear = "";

        @Option(names = "--hidden", description = "With --tear: Content-Length tells nothing of it.")
        boolean hidden;

        @Option(names = "--stick", description = "The ENI stays in Attaching, Detaching or Deleting.")
        boolean stick;

        @Option(names = "--until-reissued", description = "With --stick: until the call is made again.")
        boolean untilReissued;

        @Option(names = "--throttle", description = "The API is refused until the next minute.")
        boolean throttle;

        @Override
        public void prepare() {
            List<String> effects =
                    given("--code", "--delay", "--drop-answer", "--drop-request", "--tear", "--stick", "--throttle");
            if (effects.isEmpty()) {
                throw ShellException.usage(
                        "it has to be said what goes wrong",
                        "Add --code CODE, --delay TIME, --drop-answer, --drop-request, --tear WHERE, --stick or --throttle");
            }
            requireOne(effects, "Add a second fault for the second");
            requireOne(given("--nth", "--every", "--percent"), "Choose one of them");
            List.of("--status", "--message", "--after-work").forEach(option -> requires(option, "--code"));
            requires("--hidden", "--tear");
            requires("--until-reissued", "--stick");
        }

        @Override
        public void run() {
            AddCloudFaultRequest.Builder request =
                    AddCloudFaultRequest.newBuilder().setFault(fault());
            show(
                    control(LOOK, stub -> stub.addCloudFault(request.build())),
                    (reply, look) -> CloudViews.added(reply.getFault(), look),
                    reply -> CloudViews.ids(List.of(reply.getFault())));
        }

        private CloudFault fault() {
            CloudFault.Builder fault =
                    CloudFault.newBuilder().setApi(api).setEni(eni).setAtMost(atMost);
            if (nth != 0) {
                fault.setNth(nth);
            } else if (every != 0) {
                fault.setEvery(every);
            } else if (percent != 0) {
                fault.setPercent(percent);
            }
            if (!code.isEmpty()) {
                fault.setFail(FailCall.newBuilder()
                        .setCode(code)
                        .setHttpStatus(status)
                        .setMessage(message)
                        .setAfterWork(afterWork));
            } else if (delay != null) {
                fault.setDelay(Durations.fromNanos(delay.toNanos()));
            } else if (dropAnswer || dropRequest) {
                fault.setDrop(DropCall.newBuilder().setAfterWork(dropAnswer));
            } else if (!tear.isEmpty()) {
                fault.setTear(TearAnswer.newBuilder().setAt(tear).setHidden(hidden));
            } else if (stick) {
                fault.setStick(StickEni.newBuilder().setUntilReissued(untilReissued));
            } else {
                fault.setThrottle(ThrottleApi.getDefaultInstance());
            }
            return fault.build();
        }

        private List<String> given(String... options) {
            return Stream.of(options).filter(this::isGiven).toList();
        }

        private static void requireOne(List<String> options, String hint) {
            if (options.size() > 1) {
                throw ShellException.usage(String.join(" and ", options) + " do not go together", hint);
            }
        }

        private void requires(String option, String other) {
            if (isGiven(option) && !isGiven(other)) {
                throw ShellException.usage(
                        option + " goes with " + other, "Add " + other + ", or leave " + option + " out");
            }
        }
    }

    @Command(name = "remove", description = "Take a fault out of force, or all of them.")
    public static final class Remove extends ControlCommand {
        @Completes(CompletionKind.CLOUD_FAULTS)
        @Parameters(paramLabel = "ID", description = "The fault's number, or all; see: cloud fault list")
        String id = "";

        @Override
        public void prepare() {
            if (!id.equals("all") && !id.matches("[1-9][0-9]{0,8}")) {
                throw ShellException.usage("'" + id + "' is neither a fault's number nor all", "See: cloud fault list");
            }
        }

        @Override
        public void run() {
            RemoveCloudFaultRequest.Builder request = RemoveCloudFaultRequest.newBuilder();
            request.setId(id.equals("all") ? 0 : Integer.parseInt(id));
            show(
                    control(LOOK, stub -> stub.removeCloudFault(request.build())),
                    CloudViews::removed,
                    reply -> CloudViews.ids(reply.getRemovedList()));
        }
    }

    static final class TearPoints extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        TearPoints() {
            super(List.of("string", "elsewhere", "start"));
        }
    }
}
