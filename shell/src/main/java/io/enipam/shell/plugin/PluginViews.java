package io.enipam.shell.plugin;

import com.google.protobuf.Duration;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.CancelSwapReply;
import io.enipam.v1.ControllerLoad;
import io.enipam.v1.DiagnosticRow;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginBallot;
import io.enipam.v1.PluginCalls;
import io.enipam.v1.PluginController;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginEffect;
import io.enipam.v1.PluginExtension;
import io.enipam.v1.PluginFailure;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.PluginVote;
import io.enipam.v1.ReloadPluginReply;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapPolicyReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** Plugins, what they bring, and how the daemon fares with them. */
final class PluginViews {
    /** The built-in factories' names fit; a plugin with many parts does not widen the list for all. */
    private static final int NAMES_WIDTH = 24;

    /** How much of a cause the list shows; {@code plugin info} shows all of it. */
    private static final int CAUSE_WIDTH = 300;

    /** What one cell of a diagnostic may be wide: it pads the rows above and below, and a plugin chose its text. */
    private static final int DIAGNOSTIC_WIDTH = 120;

    private PluginViews() {}

    static final TableListing<Plugin> LIST = TableListing.<Plugin>of("plugins", Plugin::getId)
            .none("no plugins, not even the built-in one: this daemon has no plugin host", "")
            .text("id", "ID", Plugin::getId)
            .text("version", "VERSION", Plugin::getVersion)
            .state("state", "STATE", Plugin::getState)
            .text("policies", "POLICIES", plugin -> names(plugin.getPoliciesList()))
            .text("factories", "FACTORIES", plugin -> names(plugin.getFactoriesList()))
            .number("calls", "CALLS", plugin -> plugin.getCalls().getMade())
            .number("failed", "FAILED", plugin -> unanswered(plugin.getCalls()))
            .wideText("breaker", "BREAKER", plugin -> plugin.getCalls().getBreaker())
            .wideText("extensions", "EXTENSIONS", plugin -> extensions(plugin.getExtensionsList()))
            .wideText("controllers", "CONTROLLERS", plugin -> controllers(plugin.getControllersList()))
            .wideText("sdk", "SDK", Plugin::getSdk)
            .wideText("source", "SOURCE", Plugin::getSource)
            .build();

    /** Why one is not well stands below the table, since a cause is a sentence and not a word. */
    static List<String> causes(List<Plugin> plugins, RenderContext look) {
        if (plugins.isEmpty()) {
            return List.of();
        }
        List<String> lines = new ArrayList<>();
        plugins.stream().filter(plugin -> !plugin.getCause().isEmpty()).forEach(plugin -> {
            String cause = Table.clipped(plugin.getCause(), CAUSE_WIDTH);
            String state = plugin.getState();
            lines.add(look.paint(Tone.ofState(state), plugin.getId() + " is " + state + ": " + cause));
        });
        lines.add(look.paint(Tone.LABEL, "* in force; more on one: plugin info ID"));
        return lines;
    }

    /** Calls without an answer that could be used. */
    private static long unanswered(PluginCalls calls) {
        return calls.getFailed() + calls.getRejected() + calls.getLate();
    }

    /** The parts by name, the one in force first and marked. */
    private static String names(List<PluginPart> parts) {
        String names = parts.stream()
                .sorted(Comparator.comparing((PluginPart part) -> !inForce(part)))
                .map(part -> part.getName() + (inForce(part) ? "*" : ""))
                .collect(Collectors.joining(", "));
        return Table.clipped(names, NAMES_WIDTH);
    }

    /** The extensions by name, those that run marked. */
    private static String extensions(List<PluginExtension> extensions) {
        String names = extensions.stream()
                .map(each -> each.getName() + (each.getState().equals("RUNNING") ? "*" : ""))
                .collect(Collectors.joining(", "));
        return Table.clipped(names, NAMES_WIDTH);
    }

    /** The controllers by name, each with its state and the keys that wait. */
    private static String controllers(List<PluginController> controllers) {
        String states = controllers.stream()
                .map(each -> each.getExtension() + " " + each.getState() + " "
                        + each.getLoad().getQueued() + " queued")
                .collect(Collectors.joining(", "));
        return Table.clipped(states, 2 * NAMES_WIDTH);
    }

    private static boolean inForce(PluginPart part) {
        return part.getState().equals("ACTIVE");
    }

    static List<String> one(Plugin plugin, RenderContext look) {
        List<String> lines = new ArrayList<>(facts(plugin, look));
        Table.section(lines, policies(plugin, look));
        Table.section(lines, factories(plugin, look));
        Table.section(lines, extensionRows(plugin, look));
        Table.section(lines, controllerRows(plugin, look));
        plugin.getControllersList().forEach(each -> Table.section(lines, failingKeys(each, look)));
        Table.section(lines, endpoints(plugin, look));
        Table.section(lines, settings(plugin, look));
        Table.section(lines, diagnostics(plugin, look));
        Table.section(lines, failures(plugin, look));
        if (plugin.getDiagnosticsCount() > 0 && look.advice()) {
            String first = plugin.getDiagnostics(0).getName();
            lines.add(look.paint(Tone.LABEL, "to run one: plugin run " + plugin.getId() + " " + first));
        }
        return lines;
    }

    private static List<String> facts(Plugin plugin, RenderContext look) {
        PluginCalls calls = plugin.getCalls();
        String since = plugin.hasStateSince() ? " for " + look.age(plugin.getStateSince()) : "";
        Table.Cell cause = new Table.Cell(plugin.getCause(), Tone.BAD);
        String overdue = calls.getOverdue() + " under way beyond their deadline";
        String threads = calls.getLeakedThreads() + " left running behind";
        String exits = "tried to end the daemon " + Table.counted(calls.getExitsStopped(), "time") + ", stopped";
        return Table.details()
                .detail("plugin", (plugin.getId() + " " + plugin.getVersion()).strip())
                .detail("source", plugin.getSource())
                .detail("SDK", plugin.getSdk())
                .detail("state", plugin.getState() + since, Tone.ofState(plugin.getState()))
                .detailIf(!plugin.getCause().isEmpty(), "cause", cause)
                .detail("calls", calls(calls))
                .detailIf(!calls.getBreaker().isEmpty(), "breaker", Table.state(calls.getBreaker()))
                .detailIf(calls.getOverdue() > 0, "overdue", overdue)
                .detailIf(calls.getLeakedThreads() > 0, "threads", threads)
                .detailIf(calls.getExitsStopped() > 0, "exits", exits)
                .lines(look);
    }

    private static String calls(PluginCalls calls) {
        return calls.getMade() + " made, " + calls.getFailed() + " failed, " + calls.getRejected() + " rejected, "
                + calls.getLate() + " late, " + calls.getSkipped() + " skipped";
    }

    private static List<String> policies(Plugin plugin, RenderContext look) {
        return Table.listed(look, plugin.getPoliciesList(), "POLICY  STATE", part -> {
            return Table.cells(part.getName(), Table.state(part.getState()));
        });
    }

    private static List<String> factories(Plugin plugin, RenderContext look) {
        return Table.listed(look, plugin.getFactoriesList(), "FACTORY  STATE  RESOURCES  LENT", part -> {
            return Table.cells(part.getName(), Table.state(part.getState()), part.getResources(), part.getLeases());
        });
    }

    private static List<String> extensionRows(Plugin plugin, RenderContext look) {
        return Table.listed(look, plugin.getExtensionsList(), "EXTENSION  STATE  AGE  TRY-IN  CAUSE", each -> {
            Table.Cell cause = new Table.Cell(each.getCause(), Tone.BAD);
            String next = each.hasNextTry() ? look.left(each.getNextTry()) : "";
            return Table.cells(each.getName(), Table.state(each.getState()), look.age(each.getSince()), next, cause);
        });
    }

    private static List<String> controllerRows(Plugin plugin, RenderContext look) {
        String headings = "CONTROLLER  STATE  QUEUED  WORKING  PAUSED  FAILING  CAUSE";
        return Table.listed(look, plugin.getControllersList(), headings, each -> {
            ControllerLoad load = each.getLoad();
            String working = load.getUnderWay() + " of " + load.getWorkers();
            return Table.cells(
                    each.getExtension(),
                    Table.state(each.getState()),
                    load.getQueued(),
                    working,
                    load.getPaused(),
                    load.getFailing(),
                    new Table.Cell(each.getCause(), Tone.BAD));
        });
    }

    private static List<String> failingKeys(PluginController controller, RenderContext look) {
        return Table.listed(look, controller.getFailingList(), "KEY  FAILED  FOR  TRY-IN  KIND  CAUSE", each -> {
            String next = each.hasNextTry() ? look.left(each.getNextTry()) : "";
            Table.Cell why = new Table.Cell(each.getWhy(), Tone.BAD);
            return Table.cells(each.getKey(), each.getFailures(), look.age(each.getSince()), next, each.getKind(), why);
        });
    }

    private static List<String> endpoints(Plugin plugin, RenderContext look) {
        String headings = "ENDPOINT  STATE  ADDRESS  OPEN  ACCEPTED  REFUSED  REQUESTS  CAUSE";
        return Table.listed(
                look,
                plugin.getEndpointsList(),
                headings,
                each -> Table.cells(
                        each.getExtension(),
                        Table.state(each.getState()),
                        each.getAddress(),
                        each.getOpen(),
                        each.getAccepted(),
                        each.getRefused(),
                        each.getRequests(),
                        new Table.Cell(each.getCause(), Tone.BAD)));
    }

    private static List<String> settings(Plugin plugin, RenderContext look) {
        String headings = "SETTING  VALUE  FROM  DEFAULT  ALLOWED  MEANING";
        return Table.listed(look, plugin.getSettingsList(), headings, each -> {
            String value = each.getSecret() && !each.getValue().isEmpty() ? "***" : each.getValue();
            Table.Cell doc = new Table.Cell(each.getDoc(), Tone.LABEL);
            return Table.cells(each.getName(), value, each.getSource(), each.getUsual(), each.getAllowed(), doc);
        });
    }

    /** A row for each diagnostic, and below it one for each of its parameters. */
    private static List<String> diagnostics(Plugin plugin, RenderContext look) {
        Table table = Table.headed("DIAGNOSTIC", "PARAMETER", "DEFAULT", "ALLOWED", "MEANING")
                .prose(4);
        for (PluginDiagnostic diagnostic : plugin.getDiagnosticsList()) {
            table.row(diagnostic.getName(), "", "", "", new Table.Cell(diagnostic.getSummary(), Tone.LABEL));
            for (PluginSetting each : diagnostic.getParametersList()) {
                Table.Cell doc = new Table.Cell(each.getDoc(), Tone.LABEL);
                table.row(new Table.Cell("", Tone.PLAIN), each.getName(), each.getUsual(), each.getAllowed(), doc);
            }
        }
        return plugin.getDiagnosticsCount() == 0 ? List.of() : table.lines(look);
    }

    /** The last failed calls, each with its stack below it if that came. */
    private static List<String> failures(Plugin plugin, RenderContext look) {
        List<String> lines = new ArrayList<>();
        for (PluginFailure failure : plugin.getFailuresList()) {
            lines.add(look.paint(Tone.LABEL, "failed " + look.age(failure.getAt()) + " ago: ")
                    + Palette.clean(failure.getCause()));
            failure.getStackList().forEach(line -> lines.add("    " + Palette.clean(line)));
        }
        if (!lines.isEmpty()
                && look.advice()
                && plugin.getFailuresList().stream().allMatch(one -> one.getStackCount() == 0)) {
            lines.add(look.paint(Tone.LABEL, "with stacks: plugin info " + plugin.getId() + " --stack"));
        }
        return lines;
    }

    /** What a diagnostic found. Each cell is a plugin's text: a row with too few or too many is shown as it came. */
    static List<String> diagnostic(RunDiagnosticReply reply, RenderContext look) {
        Table table = Table.headed(reply.getColumnsList().toArray(String[]::new));
        for (DiagnosticRow row : reply.getRowsList()) {
            table.row(row.getCellsList().stream()
                    .map(cell -> Table.clipped(cell, DIAGNOSTIC_WIDTH))
                    .toArray());
        }
        List<String> lines = new ArrayList<>(table.lines(look));
        if (reply.getRowsCount() == 0) {
            lines.add("no rows");
        }
        if (reply.getTruncated()) {
            String rows = Table.counted(reply.getRowsCount(), "row");
            lines.add(look.paint(
                    Tone.WAIT, "there is more: only the first " + rows + " came, narrow it down by its parameters"));
        }
        return lines;
    }

    static final TableListing<PluginEffect> EFFECTS = TableListing.<PluginEffect>of("effects", PluginEffect::getId)
            .none("no effect waits", "")
            .text("id", "EFFECT", PluginEffect::getId)
            .text("extension", "EXTENSION", PluginEffect::getExtension)
            .text("handler", "HANDLER", PluginEffect::getHandler)
            .text("token", "TOKEN", PluginEffect::getToken)
            .number("attempts", "TRIED", PluginEffect::getAttempts)
            .text("failure", "FAILURE", effect -> Table.clipped(effect.getFailure(), DIAGNOSTIC_WIDTH))
            .wideText("arguments", "ARGUMENTS", effect -> Table.clipped(effect.getArguments(), DIAGNOSTIC_WIDTH))
            .wideText("claim", "CLAIM", PluginEffect::getClaim)
            .wideText("key", "KEY", PluginEffect::getKey)
            .build();

    static final TableListing<PluginBallot> BALLOTS = TableListing.<PluginBallot>of("claims", PluginBallot::getClaim)
            .none("no claim is on a ballot", "")
            .text("ballot", "BALLOT", PluginBallot::getBallot)
            .text("claim", "CLAIM", PluginBallot::getClaim)
            .state("state", "STATE", PluginBallot::getState)
            .text("yes", "YES", claim -> voters(claim, List.of("YES")))
            .text("missing", "MISSING", claim -> voters(claim, List.of("MISSING", "LATER")))
            .age("age", "AGE", PluginBallot::getSince)
            .text("why", "WHY", PluginViews::notYes)
            .flowing()
            .wideText("extension", "EXTENSION", PluginBallot::getExtension)
            .wideText("plugin", "PLUGIN", PluginBallot::getPlugin)
            .build();

    private static String voters(PluginBallot claim, List<String> said) {
        String names = claim.getVotesList().stream()
                .filter(vote -> said.contains(vote.getVote()))
                .map(PluginVote::getVoter)
                .collect(Collectors.joining(", "));
        return Table.clipped(names, NAMES_WIDTH);
    }

    /** What the voters say that have not said yes, a refusal first. */
    private static String notYes(PluginBallot claim) {
        String why = claim.getVotesList().stream()
                .filter(vote -> !vote.getVote().equals("YES"))
                .sorted(Comparator.comparing(
                        (PluginVote vote) -> !vote.getVote().equals("NO")))
                .map(vote -> vote.getVoter() + ": " + vote.getWhy())
                .collect(Collectors.joining("; "));
        return Table.clipped(why, DIAGNOSTIC_WIDTH);
    }

    /** The policies that could be in force: an item is a plugin with one of its policies alone. */
    static final TableListing<Plugin> POLICIES = TableListing.<Plugin>of("policies", PluginViews::policyOf)
            .none("no policy, not even the built-in one: this daemon has no plugin host", "")
            .text("policy", "POLICY", PluginViews::policyOf)
            .toned("state", "STATE", PluginViews::stateOf, PluginViews::toneOf)
            .text("plugin", "PLUGIN", Plugin::getId)
            .state("pluginstate", "PLUGIN STATE", Plugin::getState)
            .build();

    /** The plugins of a reply, each as often as it has policies and with one of them. */
    static List<Plugin> byPolicy(ListPluginsReply reply) {
        List<Plugin> items = new ArrayList<>();
        for (Plugin plugin : reply.getPluginsList()) {
            Plugin.Builder bare = plugin.toBuilder().clearPolicies();
            plugin.getPoliciesList()
                    .forEach(
                            policy -> items.add(bare.clone().addPolicies(policy).build()));
        }
        return items;
    }

    private static String policyOf(Plugin item) {
        return item.getPolicies(0).getName();
    }

    private static String stateOf(Plugin item) {
        return inForce(item.getPolicies(0)) ? "in force" : "available";
    }

    private static Tone toneOf(Plugin item) {
        return inForce(item.getPolicies(0)) ? Tone.GOOD : Tone.PLAIN;
    }

    static String cancelled(CancelSwapReply reply) {
        return reply.getCancelled().isEmpty()
                ? "no swap is under way"
                : Palette.clean("the swap to " + reply.getCancelled() + " was cancelled");
    }

    static List<String> reload(ReloadPluginReply reply) {
        String before = reply.getFrom();
        return List.of(Palette.clean("plugin " + reply.getId() + " " + reply.getTo()
                + (before.isEmpty() ? " was loaded in " : " took the place of " + before + " in ")
                + TimeFormat.took(reply.getTook())));
    }

    static List<String> policySwap(SwapPolicyReply reply, boolean dryRun) {
        return List.of(headline("policy", reply.getFrom(), reply.getTo(), reply.getTook(), dryRun));
    }

    static List<String> factorySwap(SwapFactoryReply reply, boolean dryRun) {
        String from = reply.getFrom();
        String headline = headline("factory", from, reply.getTo(), reply.getTook(), dryRun);
        return from.equals(reply.getTo())
                ? List.of(headline)
                : List.of(headline, Palette.clean(from + (dryRun ? " would leave: " : " leaves: ") + leaving(reply)));
    }

    private static String headline(String what, String from, String to, Duration took, boolean dryRun) {
        String swap =
                dryRun ? " would take over from " + from : " took over from " + from + " in " + TimeFormat.took(took);
        return Palette.clean(what + " " + to + (from.equals(to) ? " is in force already" : swap));
    }

    /** {@code 3 of its 5 addresses are lent and go back as they are given back}. */
    static String leaving(SwapFactoryReply reply) {
        int made = reply.getLeavingResources();
        int lent = reply.getLeavingLeases();
        if (made == 0) {
            return "nothing that it made is still there";
        }
        String addresses = made == 1 ? "1 address" : made + " addresses";
        if (lent == 0) {
            return "none of its " + addresses + " is lent, so they go back by themselves";
        }
        return lent + " of its " + addresses + (lent == 1 ? " is lent and goes" : " are lent and go")
                + " back as " + (lent == 1 ? "it is" : "they are") + " given back"
                + (lent == made ? "" : "; the others go back by themselves");
    }
}
