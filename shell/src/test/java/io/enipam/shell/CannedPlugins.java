package io.enipam.shell;

import com.google.protobuf.util.Durations;
import io.enipam.v1.ControllerCounts;
import io.enipam.v1.ControllerLoad;
import io.enipam.v1.DiagnosticRow;
import io.enipam.v1.FailingKey;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginBallot;
import io.enipam.v1.PluginCalls;
import io.enipam.v1.PluginController;
import io.enipam.v1.PluginDiagnostic;
import io.enipam.v1.PluginExtension;
import io.enipam.v1.PluginFailure;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.PluginVote;
import io.enipam.v1.RunDiagnosticReply;
import java.util.List;
import java.util.Map;

/** The plugins of the fake daemon: one in each state. */
public final class CannedPlugins {
    private CannedPlugins() {}

    /** As the list has them: without their last failures. */
    public static List<Plugin> all() {
        return whole().stream()
                .map(plugin -> plugin.toBuilder().clearFailures().build())
                .toList();
    }

    private static List<Plugin> whole() {
        return List.of(builtin(), cidr(), broken(), warmTarget());
    }

    /** The plugin of that id, with its last failures; one that has nothing but the id if there is none. */
    public static Plugin plugin(String id, boolean stacks) {
        Plugin.Builder found = whole().stream()
                .filter(plugin -> plugin.getId().equals(id))
                .findFirst()
                .map(Plugin::toBuilder)
                .orElseGet(() -> Plugin.newBuilder().setId(id));
        if (!stacks) {
            found.getFailuresBuilderList().forEach(PluginFailure.Builder::clearStack);
        }
        return found.build();
    }

    /** Claims on a ballot: one that waits for two of its voters, and one that was refused by the last of them. */
    static List<PluginBallot> ballots() {
        PluginBallot.Builder ballot = PluginBallot.newBuilder()
                .setBallot("tasks")
                .setPlugin("fleet")
                .setExtension("tasks")
                .setSince(CannedReplies.ago(240));
        PluginVote yes = vote("ports", "YES", "");
        return List.of(
                ballot.clone()
                        .setClaim("task/17")
                        .setState("WAITING")
                        .addVotes(vote("licence", "MISSING", "it is FAILED: its server is down"))
                        .addVotes(yes)
                        .addVotes(vote("rack", "LATER", "the rack restarts"))
                        .build(),
                ballot.clone()
                        .setClaim("task/18")
                        .setState("REFUSED")
                        .addVotes(vote("licence", "LATER", "all seats are taken"))
                        .addVotes(yes)
                        .addVotes(vote("rack", "NO", "the rack is full"))
                        .build());
    }

    private static PluginVote vote(String voter, String vote, String why) {
        return PluginVote.newBuilder().setVoter(voter).setVote(vote).setWhy(why).build();
    }

    static Plugin builtin() {
        return Plugin.newBuilder()
                .setId("builtin")
                .setVersion("0.1.0")
                .setSdk("[0.1,0.2)")
                .setState("ACTIVE")
                .setStateSince(CannedReplies.ago(3700))
                .setSource("builtin")
                .addPolicies(part("watermark", "ACTIVE"))
                .addFactories(
                        part("eni-ip", "ACTIVE").toBuilder().setResources(5).setLeases(3))
                .setCalls(PluginCalls.newBuilder().setMade(1204).setBreaker("CLOSED"))
                .build();
    }

    static Plugin cidr() {
        return Plugin.newBuilder()
                .setId("cidr-factory")
                .setVersion("1.0.3")
                .setSdk("[0.1,0.2)")
                .setState("DEGRADED")
                .setStateSince(CannedReplies.ago(95))
                .setCause("3 of the last 4 calls of create failed: java.lang.IllegalStateException: the range"
                        + " 10.8.0.0/28 has no address left")
                .setSource("/var/lib/enipam/plugins/cidr-factory")
                .addFactories(
                        part("cidr", "LEAVING").toBuilder().setResources(4).setLeases(1))
                .addFactories(part("cidr-v6", "CLOSED"))
                .addSettings(setting("ranges", "10.8.0.0/28", "", "a list of ranges such as 10.8.0.0/28")
                        .setDoc("Where the addresses come from")
                        .setSource("enipam.yaml"))
                .addSettings(setting("token", "***", "", "a text")
                        .setDoc("For the address registry")
                        .setSecret(true)
                        .setSource("enipam.yaml"))
                .setCalls(PluginCalls.newBuilder()
                        .setMade(40)
                        .setFailed(3)
                        .setLate(1)
                        .setSkipped(12)
                        .setOverdue(1)
                        .setBreaker("OPEN")
                        .setLeakedThreads(2)
                        .setExitsStopped(1))
                .addExtensions(PluginExtension.newBuilder()
                        .setName("blocks")
                        .setState("RUNNING")
                        .setSince(CannedReplies.ago(3600)))
                .addControllers(PluginController.newBuilder()
                        .setExtension("blocks")
                        .setState("ACTIVE")
                        .setLoad(ControllerLoad.newBuilder()
                                .setQueued(12)
                                .setUnderWay(8)
                                .setPaused(1)
                                .setFailing(1)
                                .setWorkers(8)
                                .setBound(10_000))
                        .setCounts(ControllerCounts.newBuilder()
                                .setDone(5021)
                                .setRetries(6)
                                .setTook(Durations.fromMillis(61_250)))
                        .addFailing(FailingKey.newBuilder()
                                .setKey("node-17")
                                .setFailures(6)
                                .setKind("QUOTA_EXHAUSTED")
                                .setWhy("the range 10.8.0.0/28 has no block left")
                                .setSince(CannedReplies.ago(95))))
                .addFailures(PluginFailure.newBuilder()
                        .setAt(CannedReplies.ago(95))
                        .setCause(
                                "factory cidr: create threw java.lang.IllegalStateException: the range 10.8.0.0/28 has no"
                                        + " address left")
                        .addStack("java.lang.IllegalStateException: the range 10.8.0.0/28 has no address left")
                        .addStack("    at io.enipam.examples.cidr.CidrFactory.create(CidrFactory.java:118)"))
                .addFailures(PluginFailure.newBuilder()
                        .setAt(CannedReplies.ago(99))
                        .setCause("factory cidr: create did not return within 2000 ms"))
                .build();
    }

    static Plugin broken() {
        return Plugin.newBuilder()
                .setId("old.jar")
                .setState("FAILED")
                .setStateSince(CannedReplies.ago(3700))
                .setCause("it was made for SDK [0.0,0.1), and this daemon has 0.1.0")
                .setSource("/var/lib/enipam/plugins/old.jar")
                .build();
    }

    static Plugin warmTarget() {
        return Plugin.newBuilder()
                .setId("warm-target-policy")
                .setVersion("1.2.0")
                .setSdk("[0.1,0.2)")
                .setState("LOADED")
                .setStateSince(CannedReplies.ago(3700))
                .setSource("/var/lib/enipam/plugins/warm-target-policy")
                .addPolicies(part("warm-target", "CLOSED"))
                .addSettings(setting("warm_ip_target", "2", "1", "a whole number, 0 to 100 (addresses)")
                        .setUnit("addresses")
                        .setDoc("How many addresses are kept idle")
                        .setSource("enipam.yaml"))
                .addSettings(setting("cooldown", "30s", "30s", "a time, 0s to 10m")
                        .setDoc("How long an address rests")
                        .setSource("default"))
                .addDiagnostics(PluginDiagnostic.newBuilder()
                        .setName("demand")
                        .setSummary("How many addresses were asked for, by interval")
                        .addParameters(
                                setting("window", "", "5m", "a time, 1m to 1h").setDoc("How far back"))
                        .addParameters(setting("order", "", "time", "time or count")
                                .addChoices("time")
                                .addChoices("count")
                                .setDoc("What comes first")))
                .setCalls(PluginCalls.newBuilder().setBreaker("CLOSED"))
                .build();
    }

    static RunDiagnosticReply demand(Map<String, String> arguments) {
        return RunDiagnosticReply.newBuilder()
                .addColumns("since")
                .addColumns("lent")
                .addColumns("returned")
                .addRows(row("07:50", "4", "1"))
                .addRows(row("07:55", "11", "12"))
                .setTruncated(arguments.containsKey("window"))
                .setTook(Durations.fromMillis(1))
                .build();
    }

    static DiagnosticRow row(String... cells) {
        return DiagnosticRow.newBuilder().addAllCells(List.of(cells)).build();
    }

    private static PluginPart part(String name, String state) {
        return PluginPart.newBuilder().setName(name).setState(state).build();
    }

    private static PluginSetting.Builder setting(String name, String value, String usual, String allowed) {
        return PluginSetting.newBuilder()
                .setName(name)
                .setValue(value)
                .setUsual(usual)
                .setAllowed(allowed);
    }
}
