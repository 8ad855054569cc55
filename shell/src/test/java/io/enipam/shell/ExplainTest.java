package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.enipam.v1.ExplainReply;
import io.enipam.v1.ExplainRequest;
import io.enipam.v1.PluginExplanation;
import io.enipam.v1.RunCommandReply;
import org.junit.jupiter.api.Test;

/** What explain does beside what its golden files hold. */
class ExplainTest extends AttachedShell {
    @Test
    void whatNobodyKnowsSaysWhereItWasLookedForAndExitsWith1() {
        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain default/web-99");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out())
                .isEqualTo(
                        "database: 12 statements, none of it\n" + "cloud: did not answer: no answer within 5000 ms\n");
        assertThat(result.err())
                .isEqualTo("enipam: explain failed: nobody here knows 'default/web-99' (NOT_FOUND)."
                        + " Did you mean default/web-9?\n");
    }

    @Test
    void whatNobodyKnowsIsADocumentForProgramsToo() {
        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain nobody -o json");

        assertThat(result.status()).isEqualTo(1);
        assertThat(JsonParser.parseString(result.out()).getAsJsonObject().getAsJsonArray("things"))
                .isEmpty();
    }

    @Test
    void aNewAnswerOfTheCloudIsAskedForOnlyByWhoeverWantsIt() {
        new TestShell(directory, directory).at(socket, "-c", "explain 10.0.1.7; explain 10.0.1.7 --anew");

        assertThat(daemon.received())
                .filteredOn(ExplainRequest.class::isInstance)
                .extracting(request -> ((ExplainRequest) request).getAnew())
                .containsExactly(false, true);
    }

    @Test
    void whatAPluginExplainsStandsUnderItsCommand() {
        daemon.answer(
                ExplainRequest.class,
                ExplainReply.newBuilder()
                        .setWhat("worker-1")
                        .addPlugins(PluginExplanation.newBuilder()
                                .setPlugin("node-ipam")
                                .setCommand("nodeipam node worker-1")
                                .setAnswer(RunCommandReply.newBuilder()
                                        .addColumns("WHAT")
                                        .addColumns("VALUE")
                                        .addRows(CannedPlugins.row("state", "has its blocks"))))
                        .addPlugins(PluginExplanation.newBuilder()
                                .setCommand("other\u001b[2J worker-1")
                                .setAnswer(RunCommandReply.newBuilder().setText("no answer: it hangs")))
                        .build());

        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain worker-1");

        assertThat(result.status()).isZero();
        assertThat(result.out()).isEqualTo("""
                nodeipam node worker-1
                WHAT   VALUE
                state  has its blocks

                other\uFFFD[2J worker-1
                no answer: it hangs
                """);
        String json = new TestShell(directory, directory)
                .at(socket, "-c", "explain worker-1 -o json")
                .out();
        assertThat(JsonParser.parseString(json).getAsJsonObject().getAsJsonArray("plugins"))
                .hasSize(2);
    }

    @Test
    void aPodsNameDoesNotReachTheTerminalAsAnOrder() {
        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain 10.0.1.8");

        assertThat(result.out()).doesNotContain("\u001b").contains("pod default/web-\uFFFD[2J2");
    }
}
