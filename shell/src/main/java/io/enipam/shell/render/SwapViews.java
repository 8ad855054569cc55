package io.enipam.shell.render;

import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginPart;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapPolicyReply;
import java.util.List;

/** What takes over from what, and what that means for what is there. */
public final class SwapViews {
    private SwapViews() {}

    /** The policies that could be in force. */
    public static List<String> policyNames(ListPluginsReply reply) {
        return reply.getPluginsList().stream()
                .flatMap(plugin -> plugin.getPoliciesList().stream())
                .map(PluginPart::getName)
                .toList();
    }

    public static List<String> policies(ListPluginsReply reply, Look look) {
        Table table = Table.headed("POLICY", "STATE", "PLUGIN", "PLUGIN STATE");
        for (Plugin plugin : reply.getPluginsList()) {
            for (PluginPart policy : plugin.getPoliciesList()) {
                table.row(
                        Table.cell(policy.getName()),
                        policy.getState().equals("ACTIVE")
                                ? new Table.Cell("in force", Tone.GOOD)
                                : Table.cell("available"),
                        Table.cell(plugin.getId()),
                        Table.state(plugin.getState()));
            }
        }
        return table.lines(look.palette());
    }

    public static List<String> policy(SwapPolicyReply reply, boolean dryRun) {
        if (reply.getFrom().equals(reply.getTo())) {
            return List.of(Palette.clean("policy " + reply.getTo() + " is in force already"));
        }
        return List.of(Palette.clean(headline("policy", reply.getFrom(), reply.getTo(), dryRun)
                + (dryRun ? "" : " in " + Times.took(reply.getTook()))));
    }

    public static List<String> factory(SwapFactoryReply reply, boolean dryRun) {
        if (reply.getFrom().equals(reply.getTo())) {
            return List.of(Palette.clean("factory " + reply.getTo() + " is in force already"));
        }
        return List.of(
                Palette.clean(headline("factory", reply.getFrom(), reply.getTo(), dryRun)
                        + (dryRun ? "" : " in " + Times.took(reply.getTook()))),
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
