package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.enipam.shell.ShellProgram.Terminals;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that list only in one of their forms, or what no daemon tells, can do what every listing can. */
class ListingsTest extends AttachedShell {
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "events --columns type,subject --sort-by -time ~ TYPE           SUBJECT",
                "events -n 1 --columns number                  ~ NUMBER",
                "log --columns level,message --sort-by -level  ~ LEVEL  MESSAGE",
                "doctor --list --columns repair,id             ~ REPAIR  ID",
                "trace --columns took,pod --sort-by took       ~ TOOK     POD",
                "pool policy --columns plugin,policy           ~ PLUGIN              POLICY",
            })
    void columnsAreChosen(String command, String headings) {
        TestShell.Result seen = run(command);

        assertThat(seen.err()).isEmpty();
        assertThat(seen.out().lines().findFirst().map(String::stripTrailing)).contains(headings);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "events --sort-by -time -o json | jq -r '.events[].subject'     ~ default/web-2,default/web-1",
                "events -n 2 --sort-by -time -o name                            ~ 2,1",
                "log --sort-by -level -o json | jq -r '.records[].level'        ~ INFO,ERROR",
                "doctor --list --sort-by -id -o name                            ~ lease-stale,eni-stuck",
                "trace --sort-by took -o json | jq -r '.stories[].operation'    ~ DEL,ADD,ADD",
                "pool policy --sort-by policy -o name                           ~ warm-target,watermark",
            })
    void anOrderHoldsInEveryFormat(String command, String order) {
        TestShell.Result seen = run(command);

        assertThat(seen.err()).isEmpty();
        assertThat(seen.out().lines()).containsExactly(order.split(","));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "events",
                "events -n 1",
                "log",
                "doctor --list",
                "trace",
                "pool policy",
                "history",
                "runbook list"
            })
    void itIsWatchedUntilNobodyReads(String command) {
        TestShell.Result lines = run(command + " --watch=0.1 -o json | head -n 2");

        assertThat(lines.err()).isEmpty();
        assertThat(lines.status()).isZero();
        assertThat(lines.out().lines())
                .hasSize(2)
                .allSatisfy(line ->
                        assertThat(JsonParser.parseString(line).isJsonObject()).isTrue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            value = {
                "events -f --columns type             ~ events failed: --columns is for lists, and events -f prints none. Leave out -f, or it",
                "events -f --watch                    ~ events failed: --watch is for lists",
                "trace default/web-0 --sort-by took   ~ trace failed: --sort-by is for lists, and trace of one thing prints none",
                "doctor --columns id                  ~ doctor failed: --columns is for lists, and doctor without --list prints none. Add --list",
                "pool policy warm-target --watch=1    ~ pool policy failed: --watch is for lists, and pool policy NAME prints none",
                "events --columns kind                ~ events failed: unknown column 'kind'",
                "log --sort-by nope                   ~ log failed: unknown column 'nope'",
                "doctor --list --columns ids          ~ doctor failed: unknown column 'ids'. Did you mean 'id'?",
                "trace --columns pods                 ~ trace failed: unknown column 'pods'. Did you mean 'pod'?",
                "history --sort-by nr                 ~ history failed: unknown column 'nr'",
            })
    void whatListsNothingTakesNoneOfItAndNothingIsAsked(String command, String told) {
        TestShell.Result seen = run(command);

        assertThat(seen.status()).isEqualTo(2);
        assertThat(seen.err()).startsWith("enipam: " + told).hasLineCount(1);
        assertThat(daemon.received()).isEmpty();
    }

    @Test
    void whatWasThrownStandsBelowItsRecordForWhoChoseNoColumns() {
        assertThat(run("log").out()).contains("it broke / in two\n    java.io.IOException: gone\n");
        assertThat(run("log --columns message").out())
                .isEqualTo(run("log --columns message | grep -v java").out());
    }

    @Test
    void proseAtTheEndOfALineIsNeverCutOff() {
        TestShell.Result narrow = new TestShell(directory, directory)
                .on(new Terminals(true, true, true), java.util.Map.of("COLUMNS", "40"))
                .at(socket, "trace");

        assertThat(narrow.out()).contains("Forbidden.RAM: not authorized (request C108F264)");
    }
}
