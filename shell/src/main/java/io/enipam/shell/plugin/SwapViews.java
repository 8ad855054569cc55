package io.enipam.shell.plugin;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TableListing;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.Plugin;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapPolicyReply;
import java.util.List;

/** What takes over from what, and what that means for what is there. */
public final class SwapViews {
    private static final String IN_FORCE = "in force";

    /** The policies that could be in force: an item is a plugin with one of its policies alone. */
    public static final TableListing<Plugin> POLICIES = TableListing.<Plugin>of("policies", SwapViews::policyOf)
            .none("no policy, not even the built-in one: this daemon has no plugin host", "")
            .text("policy", "POLICY", SwapViews::policyOf)
            .shown(
                    "state",
                    "STATE",
                    SwapViews::stateOf,
                    (item, look) -> stateOf(item).equals(IN_FORCE)
                            ? new Table.Cell(IN_FORCE, Tone.GOOD)
                            : Table.cell(stateOf(item)))
            .text("plugin", "PLUGIN", Plugin::getId)
            .state("pluginstate", "PLUGIN STATE", Plugin::getState)
            .build();

    private SwapViews() {}

    /** The plugins of a reply, each as often as it has policies and with one of them. */
    public static List<Plugin> byPolicy(ListPluginsReply reply) {
        return reply.getPluginsList().stream()
                .flatMap(plugin -> plugin.getPoliciesList().stream()
                        .map(policy -> plugin.toBuilder()
                                .clearPolicies()
                                .addPolicies(policy)
                                .build()))
                .toList();
    }

    private static String policyOf(Plugin item) {
        return item.getPolicies(0).getName();
    }

    private static String stateOf(Plugin item) {
        return item.getPolicies(0).getState().equals("ACTIVE") ? IN_FORCE : "available";
    }

    public static List<String> policy(SwapPolicyReply reply, boolean dryRun) {
        if (reply.getFrom().equals(reply.getTo())) {
            return List.of(Palette.clean("policy " + reply.getTo() + " is in force already"));
        }
        return List.of(Palette.clean(headline("policy", reply.getFrom(), reply.getTo(), dryRun)
                + (dryRun ? "" : " in " + TimeFormat.took(reply.getTook()))));
    }

    public static List<String> factory(SwapFactoryReply reply, boolean dryRun) {
        if (reply.getFrom().equals(reply.getTo())) {
            return List.of(Palette.clean("factory " + reply.getTo() + " is in force already"));
        }
        return List.of(
                Palette.clean(headline("factory", reply.getFrom(), reply.getTo(), dryRun)
                        + (dryRun ? "" : " in " + TimeFormat.took(reply.getTook()))),
                Palette.clean(reply.getFrom() + (dryRun ? " would leave: " : " leaves: ") + leaving(reply)));
    }

    private static String headline(String what, String from, String to, boolean dryRun) {
        return what + " " + to + (dryRun ? " would take over from " : " took over from ") + from;
    }

    /** What becomes of what the old factory made: {@code 3 of its 5 addresses are lent and go back as they are given back}. */
    public static String leaving(SwapFactoryReply reply) {
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
