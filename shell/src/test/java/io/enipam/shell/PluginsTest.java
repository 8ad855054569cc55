package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonParser;
import com.google.protobuf.MessageLite;
import io.enipam.v1.GetPluginReply;
import io.enipam.v1.GetPluginRequest;
import io.enipam.v1.ListPluginsReply;
import io.enipam.v1.ListPluginsRequest;
import io.enipam.v1.Plugin;
import io.enipam.v1.PluginPart;
import io.enipam.v1.PluginSetting;
import io.enipam.v1.RunDiagnosticReply;
import io.enipam.v1.RunDiagnosticRequest;
import io.enipam.v1.SwapFactoryReply;
import io.enipam.v1.SwapFactoryRequest;
import io.enipam.v1.SwapPolicyReply;
import io.enipam.v1.SwapPolicyRequest;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plugins, seen and swapped; what they print is in the golden files. */
class PluginsTest extends AttachedShell {
    private void refuse(Class<? extends MessageLite> request, String message, String hint) {
        refuse(request, "NOT_FOUND", message, hint);
    }

    @Test
    void aPluginWithManyPartsDoesNotWidenTheListAndTheOneInForceStaysInSight() {
        Plugin.Builder many = Plugin.newBuilder()
                .setId("churn-adaptive-policy")
                .setVersion("1.10.12")
                .setState("DEGRADED");
        for (int i = 0; i < 40; i++) {
            many.addPolicies(PluginPart.newBuilder().setName("policy-" + i).setState(i == 30 ? "ACTIVE" : "CLOSED"));
        }
        daemon.answer(
                ListPluginsRequest.class,
                ListPluginsReply.newBuilder().addPlugins(many).build());

        assertThat(run("plugin list").out().lines()).allMatch(line -> line.length() <= 100);
        assertThat(run("plugin list").out()).contains("  policy-30*, policy-");
    }

    @Test
    void aFactoryIsNotSwappedUnasked() {
        TestShell.Result result = run("plugin swap factory cidr");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .isEqualTo(
                        "enipam: plugin swap factory failed: it has to be confirmed and there is no terminal to ask on."
                                + " Add --yes\n");
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void theQuestionSaysWhatBecomesOfWhatIsThere() {
        TestShell.Result result = asked("n", "plugin", "swap", "factory", "cidr");

        assertThat(result.err())
                .isEqualTo("Make cidr the factory? eni-ip leaves: 3 of its 5 addresses are lent and go back as they are"
                        + " given back; the others go back by themselves. [y/N] ");
        assertThat(result.out()).isEqualTo("nothing was changed\n");
        assertThat(received(SwapFactoryRequest.class)).allMatch(SwapFactoryRequest::getDryRun);
    }

    @Test
    void aNameInTheQuestionCannotDriveTheTerminal() {
        daemon.answer(
                SwapFactoryRequest.class,
                SwapFactoryReply.newBuilder()
                        .setFrom("a\u001b[2J")
                        .setTo("cidr")
                        .build());

        assertThat(asked("n", "plugin", "swap", "factory", "cidr").err())
                .contains("a\uFFFD[2J leaves")
                .doesNotContain("\u001b");
    }

    @Test
    void aYesSwapsAfterTheLook() {
        TestShell.Result result = asked("y", "plugin", "swap", "factory", "cidr");

        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("factory cidr took over from eni-ip in 1.3 s\n");
        assertThat(received(SwapFactoryRequest.class))
                .extracting(SwapFactoryRequest::getDryRun)
                .containsExactly(true, false);
    }

    @Test
    void aSwapThatCannotBeDoneIsRefusedBeforeAnybodyIsAsked() {
        refuse(SwapFactoryRequest.class, "eni-ip is still leaving", "Wait until it has left");

        TestShell.Result result = asked("y", "plugin", "swap", "factory", "cidr");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("enipam: plugin swap factory failed: eni-ip is still leaving (NOT_FOUND)."
                        + " Wait until it has left\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 0 | nothing that it made is still there",
                "1 | 0 | none of its 1 address is lent, so they go back by themselves",
                "1 | 1 | 1 of its 1 address is lent and goes back as it is given back",
                "5 | 1 | 1 of its 5 addresses is lent and goes back as it is given back; the others go back by themselves",
                "3 | 3 | 3 of its 3 addresses are lent and go back as they are given back",
            })
    void whatLeavesIsToldInWords(int made, int lent, String words) {
        daemon.answer(
                SwapFactoryRequest.class,
                SwapFactoryReply.newBuilder()
                        .setFrom("eni-ip")
                        .setTo("cidr")
                        .setLeavingResources(made)
                        .setLeavingLeases(lent)
                        .build());

        assertThat(run("plugin swap factory cidr --yes").out()).endsWith("\neni-ip leaves: " + words + "\n");
    }

    @Test
    void whatIsInForceAlreadyIsSaidToBe() {
        daemon.answer(
                SwapFactoryRequest.class,
                SwapFactoryReply.newBuilder().setFrom("cidr").setTo("cidr").build());
        daemon.answer(
                SwapPolicyRequest.class,
                SwapPolicyReply.newBuilder()
                        .setFrom("watermark")
                        .setTo("watermark")
                        .build());

        assertThat(run("plugin swap factory cidr --yes").out()).isEqualTo("factory cidr is in force already\n");
        assertThat(run("pool policy watermark").out()).isEqualTo("policy watermark is in force already\n");
    }

    @Test
    void thePolicyOfThePoolIsSwappedByEitherName() {
        assertThat(run("pool policy warm-target").out())
                .isEqualTo(run("plugin swap policy warm-target").out());
        run("pool policy warm-target --dry-run");

        assertThat(received(SwapPolicyRequest.class))
                .extracting(SwapPolicyRequest::getName, SwapPolicyRequest::getDryRun)
                .containsExactly(tuple("warm-target", false), tuple("warm-target", false), tuple("warm-target", true));
    }

    @Test
    void argumentsOfADiagnosticReachItAsTyped() {
        run("plugin run warm-target-policy demand window=10m 'note=a=b c' order=");

        assertThat(received(RunDiagnosticRequest.class).get(0).getArgumentsMap())
                .isEqualTo(Map.of("window", "10m", "note", "a=b c", "order", ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plugin info warm-taget-policy         | Did you mean 'warm-target-policy'?",
                "plugin info zzz                       | There are builtin, cidr-factory, old.jar, warm-target-policy",
                "plugin swap policy watermrk           | Did you mean 'watermark'?",
                "plugin swap factory eniip --yes       | Did you mean 'eni-ip'?",
                "plugin run warm-taget-policy demand   | Did you mean 'warm-target-policy'?",
                "plugin run warm-target-policy deman   | Did you mean 'demand'?",
                "plugin run warm-target-policy demand windw=1m | Did you mean 'window'?",
            })
    void aWrongNameBringsTheOneThatWasMeant(String command, String hint) {
        for (Class<? extends MessageLite> request : List.of(
                GetPluginRequest.class,
                SwapPolicyRequest.class,
                SwapFactoryRequest.class,
                RunDiagnosticRequest.class)) {
            refuse(request, "there is no such thing", "See 'plugin list'");
        }

        TestShell.Result result = run(command);

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .endsWith(" failed: there is no such thing (NOT_FOUND). " + hint + "\n")
                .hasLineCount(1);
    }

    @Test
    void aDaemonThatKnowsBetterIsLeftItsWords() {
        refuse(GetPluginRequest.class, "there is no plugin cdir", "Did you mean cidr-factory?");

        assertThat(run("plugin info cdir").err()).endsWith("(NOT_FOUND). Did you mean cidr-factory?\n");
    }

    @Test
    void aDaemonThatDoesNotAnswerIsNotAskedTwice() {
        daemon.fail(GetPluginRequest.class, Status.DEADLINE_EXCEEDED);

        assertThat(run("plugin info x").err()).contains("did not answer in time");
        assertThat(received(ListPluginsRequest.class)).isEmpty();
    }

    @Test
    void anOldDaemonWithoutPluginsIsToldAsSuch() {
        daemon.fail(ListPluginsRequest.class, Status.UNIMPLEMENTED);

        TestShell.Result result = run("plugin list");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err())
                .contains("the daemon does not know this command")
                .hasLineCount(1);
    }

    @Test
    void whatAPluginSaysCannotDriveTheTerminal() {
        String evil = "\u001b[2J\u009b2J\u202eevil\nnext\r";
        Plugin plugin = Plugin.newBuilder()
                .setId(evil)
                .setVersion(evil)
                .setState(evil)
                .setCause(evil)
                .setSource(evil)
                .addPolicies(PluginPart.newBuilder().setName(evil).setState("ACTIVE"))
                .addSettings(PluginSetting.newBuilder().setName(evil).setDoc(evil))
                .build();
        daemon.answer(
                ListPluginsRequest.class,
                ListPluginsReply.newBuilder().addPlugins(plugin).build());
        daemon.answer(
                GetPluginRequest.class,
                GetPluginReply.newBuilder().setPlugin(plugin).build());
        daemon.answer(
                RunDiagnosticRequest.class,
                RunDiagnosticReply.newBuilder()
                        .addColumns(evil)
                        .addRows(CannedPlugins.row(evil, "one cell too many"))
                        .addRows(CannedPlugins.row())
                        .build());
        daemon.answer(
                SwapPolicyRequest.class,
                SwapPolicyReply.newBuilder().setFrom(evil).setTo(evil + "2").build());

        String out = run("plugin list; plugin info x; plugin run x y; pool policy; pool policy z")
                .out();
        String json = run("plugin list -o json").out();

        assertThat(out).contains("evil").doesNotContain("\u001b", "\u009b", "\u202e", "\r", "\nnext");
        assertThat(json).doesNotContain("\u001b", "\u009b", "\u202e", "\r");
        assertThat(JsonParser.parseString(json)
                        .getAsJsonObject()
                        .getAsJsonArray("plugins")
                        .get(0))
                .matches(each -> each.getAsJsonObject().get("id").getAsString().equals(evil));
    }

    @Test
    void aLongCellDoesNotPadTheWholeTable() {
        daemon.answer(
                RunDiagnosticRequest.class,
                RunDiagnosticReply.newBuilder()
                        .addColumns("a")
                        .addColumns("b")
                        .addRows(CannedPlugins.row("x".repeat(100_000), "y"))
                        .addRows(CannedPlugins.row("z", "y"))
                        .build());

        assertThat(run("plugin run x y").out().lines()).allMatch(line -> line.length() < 130);
        assertThat(run("plugin run x y -o json").out()).contains("x".repeat(100_000));
    }
}
