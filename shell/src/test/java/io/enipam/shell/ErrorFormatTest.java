package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.v1.CniAddRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a program is told that asked for answers in fields. */
class ErrorFormatTest extends AttachedShell {
    private static JsonObject told(TestShell.Result result) {
        assertThat(result.err().lines()).hasSize(1);
        JsonObject error = JsonParser.parseString(result.err()).getAsJsonObject();
        assertThat(error.keySet()).containsExactly("code", "message", "hint", "command", "exit");
        assertThat(error.get("exit").getAsInt()).isEqualTo(result.status());
        return error;
    }

    @Test
    void aRefusalHasTheDaemonsWordsInFields() {
        refuse(CniAddRequest.class, "POOL_EXHAUSTED", "all 14 addresses\nare in use \u001b[2J", "Give one back.");

        JsonObject error = told(program("cni", "add", "--pod", "default/a", "-o", "json"));

        assertThat(error.get("code").getAsString()).isEqualTo("POOL_EXHAUSTED");
        assertThat(error.get("message").getAsString()).isEqualTo("all 14 addresses\nare in use \u001b[2J");
        assertThat(error.get("hint").getAsString()).isEqualTo("Give one back.");
        assertThat(error.get("command").getAsString()).isEqualTo("cni add");
        assertThat(error.get("exit").getAsInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "stauts -o json              ~ 2",
                "status -ojson --wrong       ~ 2",
                "status --output=yaml now    ~ 2",
                "eni list --columns x -o yaml ~ 2",
            })
    void aCommandLineThatIsWrongIsToldInTheFormatItNames(String line, int status) {
        TestShell.Result result = run(line);

        assertThat(told(result).get("command").getAsString()).isNotEmpty();
        assertThat(result.status()).isEqualTo(status);
    }

    @Test
    void theProgramsOwnFormatHoldsForWhatNamesNone() {
        told(program("-o", "json", "-c", "pool show | grpe x"));
        told(program("-o", "json", "stauts"));
        told(program("-o", "json", "--wrong"));
        told(new TestShell(directory, directory)
                .run("-o", "yaml", "--socket", directory.resolve("none").toString(), "status"));
        assertThat(program("-o", "json", "stauts", "-o", "table").err()).startsWith("enipam: unknown command");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "stauts -o json                       ~ USAGE",
                "doctor -o json                       ~ FINDINGS",
                "pool drain -o json                   ~ UNCONFIRMED",
                "db import /no/such/file --yes -o json ~ NOT_READABLE",
                "pool show -o json > /no/such/file    ~ NOT_WRITABLE",
                "run -c 'expect pool show | jq .pool.capacity == 77' -o json ~ EXPECTATION_FAILED",
            })
    void whatTheShellItselfSaysHasACodeTooAndHelpKnowsIt(String line, String code) {
        JsonObject error =
                JsonParser.parseString(program("-o", "json", "-c", line).err()).getAsJsonObject();

        assertThat(error.get("code").getAsString()).isEqualTo(code);
        assertThat(run("help exit-codes").out()).contains(code);
    }

    @Test
    void nobodyToAttachToHasACode() {
        TestShell.Result result = new TestShell(directory, directory)
                .run("-o", "json", "--socket", directory.resolve("none").toString(), "status");

        assertThat(told(result).get("code").getAsString()).isEqualTo("NOT_ATTACHED");
    }

    @Test
    void aJqBehindACommandMakesNoProgramOfThePerson() {
        daemon.fail(io.enipam.v1.GetPoolRequest.class, io.grpc.Status.INTERNAL.withDescription("a bug"));

        assertThat(run("pool show | jq .").err()).isEqualTo("enipam: pool show failed: a bug (INTERNAL)\n");
    }
}
