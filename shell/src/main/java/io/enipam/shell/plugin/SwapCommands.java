package io.enipam.shell.plugin;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.ControlCommand;
import io.enipam.shell.core.ListOptions;
import io.enipam.shell.core.ListOptions.ListRequest;
import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Session;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Putting another policy or factory in force. */
public final class SwapCommands {
    /** A factory may take 90 s to take over; the daemon's reason for giving up arrives before this is over. */
    private static final Duration TAKE_OVER = Duration.ofMinutes(2);

    private SwapCommands() {}

    /** Puts a policy in force, or asks whether that could be done. */
    abstract static class PolicySwap extends ControlCommand {
        @Option(names = "--dry-run", description = "Only say whether it could be done.")
        boolean dryRun;

        PolicySwap(Session session) {
            super(session);
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        final void swapTo(String name) {
            SwapPolicyRequest request = SwapPolicyRequest.newBuilder()
                    .setName(name)
                    .setDryRun(dryRun)
                    .build();
            show(
                    new PluginNameErrors(this)
                            .named(
                                    name,
                                    PluginNames::policies,
                                    () -> control(TAKE_OVER, stub -> stub.swapPolicy(request))),
                    (reply, look) -> SwapViews.policy(reply, dryRun),
                    reply -> List.of(reply.getTo()));
        }
    }

    @Command(
            name = "policy",
            description = {
                "Put another pool policy in force, at once.",
                "It stays in force over a restart. The built-in one is 'watermark'."
            },
            footer = {"  plugin swap policy warm-target", "  plugin swap policy watermark --dry-run"})
    public static final class Policy extends PolicySwap {
        @Completes(CompletionKind.POLICIES)
        @Parameters(paramLabel = "NAME", description = "The policy; see: plugin list")
        String name = "";

        public Policy(Session session) {
            super(session);
        }

        @Override
        public void run() {
            swapTo(name);
        }
    }

    @Command(
            name = "policy",
            description = {
                "The policies there are, or put another one in force.",
                "Without a name it lists which there are, for which --columns, --sort-by and --watch are. With one it is: plugin swap policy NAME"
            },
            footer = {"  pool policy", "  pool policy warm-target"})
    public static final class PoolPolicy extends PolicySwap {
        @Completes(CompletionKind.POLICIES)
        @Parameters(arity = "0..1", paramLabel = "NAME", description = "The policy to put in force.")
        String name = "";

        @Mixin
        ListOptions view = new ListOptions();

        public PoolPolicy(Session session) {
            super(session);
        }

        @Override
        public boolean changes() {
            return super.changes() && !name.isEmpty();
        }

        @Override
        public void prepare() {
            if (dryRun && name.isEmpty()) {
                throw new ShellException(
                        ExitStatus.USAGE,
                        "",
                        "--dry-run of what?",
                        "Name the policy, as in: pool policy watermark --dry-run");
            }
            if (!name.isEmpty()) {
                view.refuse("pool policy NAME", "Leave out the name, or it");
            }
            view.check(SwapViews.POLICIES);
        }

        @Override
        public Optional<ListRequest> lists() {
            return Optional.of(new ListRequest(view, SwapViews.POLICIES));
        }

        @Override
        public void run() {
            if (name.isEmpty()) {
                new ListPrinter<>(this, view, SwapViews.POLICIES, this::listed, Optional.empty()).run();
            } else {
                swapTo(name);
            }
        }

        private ListReply<Plugin> listed() {
            ListPluginsReply reply = inspect(stub -> stub.listPlugins(ListPluginsRequest.getDefaultInstance()));
            return ListReply.of(reply, SwapViews.byPolicy(reply));
        }
    }

    @Command(
            name = "factory",
            description = {
                "Make another factory the one that makes addresses.",
                "The old one leaves: it makes nothing more, and what it made goes back to it as pods give it back. The new one stays over a restart. This may take 90 s. The built-in ones are 'eni-ip', which makes addresses of shared ENIs, and 'eni', which makes whole ENIs."
            },
            footer = {"  plugin swap factory cidr --dry-run", "  plugin swap factory cidr --yes"})
    public static final class Factory extends ControlCommand {
        @Completes(CompletionKind.FACTORIES)
        @Parameters(paramLabel = "NAME", description = "The factory; see: plugin list")
        String name = "";

        @Option(
                names = "--dry-run",
                description = "Only say whether it could be done, and what would become of what is there.")
        boolean dryRun;

        @Mixin
        ConfirmationOption consent = new ConfirmationOption();

        public Factory(Session session) {
            super(session);
        }

        @Override
        public boolean changes() {
            return !dryRun;
        }

        @Override
        public boolean needsConfirmation() {
            return !dryRun && !consent.yes;
        }

        @Override
        public void run() {
            if (!dryRun && !consent.given(session, this::question)) {
                return;
            }
            show(swap(dryRun), (reply, look) -> SwapViews.factory(reply, dryRun), reply -> List.of(reply.getTo()));
        }

        /** Says what would become of what is there; a swap that cannot be done is refused before anybody is asked. */
        private String question() {
            SwapFactoryReply would = swap(true);
            return "Make " + name + " the factory? " + would.getFrom() + " leaves: " + SwapViews.leaving(would) + ".";
        }

        private SwapFactoryReply swap(boolean dry) {
            SwapFactoryRequest request =
                    SwapFactoryRequest.newBuilder().setName(name).setDryRun(dry).build();
            return new PluginNameErrors(this)
                    .named(name, PluginNames::factories, () -> control(TAKE_OVER, stub -> stub.swapFactory(request)));
        }
    }
}
