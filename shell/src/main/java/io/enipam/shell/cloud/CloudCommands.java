package io.enipam.shell.cloud;

import com.google.protobuf.util.Durations;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.v1.ActOnCloudReply;
import io.enipam.v1.ActOnCloudRequest;
import io.enipam.v1.GetCloudReply;
import io.enipam.v1.GetCloudRequest;
import io.enipam.v1.InspectGrpc.InspectBlockingStub;
import io.enipam.v1.ResetCloudRequest;
import io.enipam.v1.SetCloudLatencyRequest;
import io.enipam.v1.SetCloudThrottleRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The emulated cloud behind a sandbox, and what can be done to it behind the daemon's back. */
@Command(
        name = "cloud",
        description = "The emulated cloud behind a sandbox: what goes wrong in it.",
        subcommands = {
            CloudFaultCommands.class,
            CloudCommands.Latency.class,
            CloudCommands.Throttle.class,
            CloudCommands.Reset.class,
            CloudCommands.Detach.class,
            CloudCommands.TakeIp.class,
            CloudCommands.Stick.class,
            CloudCommands.Release.class,
            CloudCommands.Expire.class,
            CloudCommands.Skew.class
        })
public final class CloudCommands {
    private static final Function<InspectBlockingStub, GetCloudReply> CLOUD =
            stub -> stub.getCloud(GetCloudRequest.getDefaultInstance());

    private CloudCommands() {}

    @Command(name = "latency", description = "Show how long the emulated cloud takes for things, or change it.")
    public static final class Latency extends ControlCommand {
        @Completes(CompletionKind.CLOUD_LATENCIES)
        @Parameters(arity = "0..1", paramLabel = "SPEC", description = "none, real, or WHAT=TIME[-TIME],...")
        String spec = "";

        @Override
        public boolean changes() {
            return !spec.isEmpty();
        }

        @Override
        public void run() {
            if (spec.isEmpty()) {
                show(inspect(CLOUD), CloudViews::latency, reply -> List.of(reply.getLatency()));
                return;
            }
            SetCloudLatencyRequest.Builder request =
                    SetCloudLatencyRequest.newBuilder().setLatency(spec);
            show(
                    control(LOOK, stub -> stub.setCloudLatency(request.build())),
                    (reply, look) -> CloudViews.changed("latency", reply.getTo(), reply.getFrom()),
                    reply -> List.of(reply.getTo()));
        }
    }

    @Command(name = "throttle", description = "Show how many calls a minute the emulated cloud takes, or change it.")
    public static final class Throttle extends ControlCommand {
        @Completes(CompletionKind.CLOUD_LIMITS)
        @Parameters(arity = "0..1", paramLabel = "SPEC", description = "off, default, or API=N,...")
        String spec = "";

        @Override
        public boolean changes() {
            return !spec.isEmpty();
        }

        @Override
        public void run() {
            if (spec.isEmpty()) {
                show(inspect(CLOUD), CloudViews::throttle, reply -> List.of(reply.getThrottle()));
                return;
            }
            SetCloudThrottleRequest.Builder request =
                    SetCloudThrottleRequest.newBuilder().setThrottle(spec);
            show(
                    control(LOOK, stub -> stub.setCloudThrottle(request.build())),
                    (reply, look) -> CloudViews.changed("calls a minute", reply.getTo(), reply.getFrom()),
                    reply -> List.of(reply.getTo()));
        }
    }

    @Command(name = "reset", description = "Undo what was set up to go wrong in the emulated cloud.")
    public static final class Reset extends ControlCommand {
        @Override
        public void run() {
            show(
                    control(LOOK, stub -> stub.resetCloud(ResetCloudRequest.getDefaultInstance())),
                    CloudViews::reset,
                    reply -> CloudViews.ids(reply.getRemovedList()));
        }
    }

    /** A change in the cloud without the daemon. */
    abstract static class Act extends ControlCommand {
        final void act(ActOnCloudRequest.Builder request, Function<ActOnCloudReply, String> sentence, String advice) {
            show(
                    control(LOOK, stub -> stub.actOnCloud(request.build())),
                    (reply, look) -> List.of(look.withAdvice(Palette.clean(sentence.apply(reply)), advice)),
                    reply -> reply.getEni().isEmpty() ? List.of() : List.of(reply.getEni()));
        }
    }

    /** The same for what takes a pod's network away. */
    abstract static class ConfirmedAct extends Act {
        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        @Override
        public final boolean needsConfirmation() {
            return !consent.yes;
        }

        final boolean agreed(String question) {
            return consent.given(session, () -> question);
        }
    }

    @Command(name = "detach", description = "Take an ENI off its instance behind the daemon's back.")
    public static final class Detach extends ConfirmedAct {
        @Completes(CompletionKind.ENIS)
        @Parameters(paramLabel = "ENI", description = "The ENI's id; see: eni list")
        String eni = "";

        @Override
        public void run() {
            if (agreed("Detach " + eni + " behind the daemon's back?")) {
                ActOnCloudRequest.Builder request =
                        ActOnCloudRequest.newBuilder().setDetachEni(eni);
                String sentence = " is off its instance; the daemon was not told";
                act(request, reply -> reply.getEni() + sentence, "; see: eni list");
            }
        }
    }

    @Command(name = "take-ip", description = "Take a secondary address off its ENI behind the daemon's back.")
    public static final class TakeIp extends ConfirmedAct {
        @Completes(CompletionKind.ENI_IPS)
        @Parameters(paramLabel = "IP", description = "The address; see: eni show ID")
        String ip = "";

        @Override
        public void run() {
            if (agreed("Take " + ip + " behind the daemon's back?")) {
                ActOnCloudRequest.Builder request =
                        ActOnCloudRequest.newBuilder().setTakeIp(Table.host(ip));
                act(request, CloudViews::taken, "");
            }
        }
    }

    @Command(name = "stick", description = "Keep an ENI in Attaching, Detaching or Deleting until it is released.")
    public static final class Stick extends Act {
        @Completes(CompletionKind.ENIS)
        @Parameters(paramLabel = "ENI", description = "The ENI's id; see: eni list")
        String eni = "";

        @Override
        public void run() {
            String advice = "; to let it go: cloud release " + Palette.clean(eni);
            act(ActOnCloudRequest.newBuilder().setStickEni(eni), CloudViews::stuck, advice);
        }
    }

    @Command(name = "release", description = "Let an ENI go on that sticks.")
    public static final class Release extends Act {
        @Completes(CompletionKind.ENIS)
        @Parameters(paramLabel = "ENI", description = "The ENI's id; see: cloud fault list")
        String eni = "";

        @Override
        public void run() {
            ActOnCloudRequest.Builder request = ActOnCloudRequest.newBuilder().setReleaseEni(eni);
            act(request, reply -> reply.getEni() + " does not stick any more", "");
        }
    }

    @Command(name = "expire", description = "Make an access key no good: the account's, or the role's newest.")
    public static final class Expire extends Act {
        @Parameters(arity = "0..1", paramLabel = "KEY", description = "The id of the access key.")
        String key = "";

        @Override
        public void run() {
            ActOnCloudRequest.Builder request = ActOnCloudRequest.newBuilder().setExpireKey(key);
            act(request, reply -> "access key " + reply.getKey() + " is no good any more", "");
        }
    }

    @Command(name = "skew", description = "Put the emulated cloud's clock ahead, or behind with --behind.")
    public static final class Skew extends Act {
        @Parameters(
                arity = "0..1",
                paramLabel = "TIME",
                converter = SpanOrNone.class,
                description = "How far, such as 20m; 0: not at all.")
        @Nullable
        Duration time;

        @Option(names = "--behind", description = "It is behind, not ahead.")
        boolean behind;

        @Override
        public boolean changes() {
            return time != null;
        }

        @Override
        public void prepare() {
            if (time == null && behind) {
                throw ShellException.usage("--behind of what?", "Say how far, as in: cloud skew 20m --behind");
            }
        }

        @Override
        public void run() {
            Duration far = time;
            if (far == null) {
                show(
                        inspect(CLOUD),
                        CloudViews::clock,
                        reply -> List.of(reply.getClockAhead().getSeconds() + "s"));
                return;
            }
            Duration ahead = behind ? far.negated() : far;
            ActOnCloudRequest.Builder request =
                    ActOnCloudRequest.newBuilder().setSkewClock(Durations.fromNanos(ahead.toNanos()));
            act(request, reply -> CloudViews.clock(reply.getClockAhead().getSeconds()), "");
        }
    }

    /** A span that may be none at all. */
    static final class SpanOrNone extends DurationConverter {
        @Override
        public Duration convert(String value) {
            return value.matches("0(ms|s|m|h)?") ? Duration.ZERO : super.convert(value);
        }
    }
}
