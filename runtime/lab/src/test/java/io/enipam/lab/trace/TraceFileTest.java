package io.enipam.lab.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceFileTest {
    private static final String HEAD = "{\"format\":\"enipam-lab-trace\",\"version\":1,\"lengthMs\":60000}\n";

    @TempDir
    Path scratch;

    private Path file(String text) throws IOException {
        return Files.writeString(scratch.resolve("day.jsonl"), text);
    }

    @Test
    void whatIsWrittenIsRead() throws Exception {
        Trace trace = new Trace(
                "by hand",
                Duration.ofHours(1),
                List.of(
                        new Sandbox(Duration.ZERO, "default/a", Optional.of(Duration.ofSeconds(5)), "Job"),
                        new Sandbox(Duration.ofMillis(17), "kube-system/b", Optional.empty(), "")));
        StringWriter text = new StringWriter();
        TraceFile.write(List.of(trace), text);
        assertThat(TraceFile.read(file(text.toString()))).isEqualTo(trace);
    }

    @Test
    void aFleetIsReadAsATraceForEachOfItsNodesInTheOrderOfItsPods() throws Exception {
        List<Trace> nodes = List.of(
                new Trace(
                        "x",
                        Duration.ofHours(1),
                        List.of(new Sandbox(Duration.ofMillis(7), "a/b", Optional.empty(), ""))),
                new Trace("x", Duration.ofHours(1), List.of()),
                new Trace(
                        "x",
                        Duration.ofHours(1),
                        List.of(
                                new Sandbox(Duration.ofMillis(3), "a/b", Optional.empty(), ""),
                                new Sandbox(Duration.ofMillis(7), "a/c", Optional.of(Duration.ZERO), "Job"))));
        StringWriter text = new StringWriter();
        TraceFile.write(nodes, text);
        assertThat(text.toString()).isEqualTo("""
                {"format":"enipam-lab-trace","version":1,"lengthMs":3600000,"origin":"x","nodes":3}
                {"atMs":3,"pod":"a/b","node":2}
                {"atMs":7,"pod":"a/b","node":0}
                {"atMs":7,"pod":"a/c","livesMs":0,"ownerKind":"Job","node":2}
                """);
        Path file = file(text.toString());
        assertThat(TraceFile.readAll(file)).isEqualTo(nodes);
        assertThatThrownBy(() -> TraceFile.read(file))
                .hasMessageContaining(
                        "day.jsonl has the traces of 3 nodes, and here is one wanted; 'lab run' takes them all");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "3|{\"atMs\":1,\"pod\":\"a/b\"}|line 2: 'node' is missing; give a whole number from 0 to 2",
                "3|{\"atMs\":1,\"pod\":\"a/b\",\"node\":3}|line 2: 'node' is 3; give a whole number from 0 to 2",
                "0|{\"atMs\":1,\"pod\":\"a/b\",\"node\":0}|line 1: 'nodes' is 0; give a whole number from 1 to 10000",
                "10001|{\"atMs\":1,\"pod\":\"a/b\",\"node\":0}|line 1: 'nodes' is 10001; give a whole number"
            })
    void aPodOfNoNodeOfTheFleetIsRefused(String nodes, String line, String says) throws IOException {
        Path file = file(HEAD.replace("}", ",\"nodes\":" + nodes + "}") + line + "\n");
        assertThatThrownBy(() -> TraceFile.readAll(file)).hasMessageContaining("day.jsonl, " + says);
    }

    @Test
    void blankLinesAndALastLineWithoutItsEndAreFine() throws Exception {
        assertThat(TraceFile.read(file(HEAD + "\n  \r\n{\"atMs\":1,\"pod\":\"a/b\"}"))
                        .sandboxes())
                .hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"atMs\":1,\"pod\":\"a/b\"|line 2: it is no JSON",
                "[]|line 2: it is no JSON object",
                "7 8|line 2: it is no JSON",
                "{\"atMs\":-1,\"pod\":\"a/b\"}|line 2: 'atMs' is -1; give a whole number from 0 to 60000",
                "{\"atMs\":60001,\"pod\":\"a/b\"}|line 2: 'atMs' is 60001; give a whole number from 0 to 60000",
                "{\"atMs\":1.5,\"pod\":\"a/b\"}|line 2: 'atMs' is 1.5; give a whole number",
                "{\"atMs\":99999999999999999999,\"pod\":\"a/b\"}|line 2: 'atMs' is 99999999999999999999; give",
                "{\"atMs\":NaN,\"pod\":\"a/b\"}|line 2: it is no JSON",
                "{\"atMs\":\"1\",\"pod\":\"a/b\"}|line 2: 'atMs' is \"1\"; give a whole number",
                "{\"pod\":\"a/b\"}|line 2: 'atMs' is missing",
                "{\"atMs\":1}|line 2: 'pod' is missing",
                "{\"atMs\":1,\"pod\":\"b\"}|line 2: 'pod' is 'b'; give NAMESPACE/NAME",
                "{\"atMs\":1,\"pod\":\"A/b\"}|line 2: 'pod' is 'A/b'; give NAMESPACE/NAME",
                "{\"atMs\":1,\"pod\":\"a/b/c\"}|line 2: 'pod' is 'a/b/c'; give NAMESPACE/NAME",
                "{\"atMs\":1,\"pod\":\"a/\\u001b[31m\"}|line 2: 'pod' is \"a/\\u001B[31m\"; give a text",
                "{\"atMs\":1,\"pod\":\"a/b\",\"livesMs\":-5}|line 2: 'livesMs' is -5; give a whole number",
                "{\"atMs\":1,\"pod\":\"a/b\",\"node\":0}|line 2: there is no field 'node' here; there are atMs,",
                "{\"atMs\":1,\"pod\":\"a/b\",\"lives\":5}|line 2: there is no field 'lives' here; there are atMs,"
                        + " livesMs,",
                "{\"atMs\":1,\"atMs\":2,\"pod\":\"a/b\"}|line 2: it is no JSON: Duplicate field 'atMs'",
                "{\"atMs\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}},\"pod\":\"a/b\"}|line 2: it is no JSON: Document nesting"
                        + " depth"
            })
    void aLineThatIsNoSandboxIsRefusedWithItsNumberAndWithWhatToDo(String line, String says) throws IOException {
        Path file = file(HEAD + line + "\n");
        assertThatThrownBy(() -> TraceFile.read(file))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining("day.jsonl, " + says)
                .hasMessageNotContainingAny("\n", "\u001b");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|line 1: this is no trace: the first line has to be",
                "{\"format\":\"enipam-lab-trace\",\"version\":2,\"lengthMs\":1}|line 1: its version is 2, and this lab"
                        + " reads version 1",
                "{\"format\":\"enipam-lab-trace\",\"version\":1}|line 1: 'lengthMs' is missing",
                "{\"format\":\"enipam-lab-trace\",\"version\":1,\"lengthMs\":99999999999}|line 1: 'lengthMs' is"
                        + " 99999999999; give"
            })
    void aFileThatIsNoTraceOfThisVersionIsRefused(String head, String says) throws IOException {
        Path file = file(head + "\n");
        assertThatThrownBy(() -> TraceFile.read(file))
                .isInstanceOf(TraceException.class)
                .hasMessageContaining(says);
    }

    @Test
    void anEmptyFileIsNoTrace() throws IOException {
        Path file = file("");
        assertThatThrownBy(() -> TraceFile.read(file)).hasMessageContaining("line 1: the file is empty");
    }

    @Test
    void linesOutOfOrderAreRefusedWithTheNumberOfTheSecond() throws IOException {
        Path file = file(HEAD + "{\"atMs\":5,\"pod\":\"a/b\"}\n\n{\"atMs\":4,\"pod\":\"a/c\"}\n");
        assertThatThrownBy(() -> TraceFile.read(file))
                .hasMessageContaining("line 4: 'atMs' is 4, before the line above (5); sort the lines by it");
    }

    @Test
    void aLineWithoutEndIsNotReadToItsEnd() throws IOException {
        Path file = file(HEAD + "x".repeat(10_000_000));
        assertThatThrownBy(() -> TraceFile.read(file))
                .hasMessageContaining("line 2: it is longer than 4096 characters");
    }

    @Test
    void aControlCharacterIsRefusedWhereverItStands() throws IOException {
        Path file = file(HEAD + "{\"atMs\":1,\"pod\":\"a/" + "b".repeat(90) + "\\u001b[31m\"}\n");
        assertThatThrownBy(() -> TraceFile.read(file))
                .hasMessageContaining("give a text of 1 to")
                .hasMessageNotContaining("\u001b");
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws IOException {
        Path file = scratch.resolve("day.jsonl");
        Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0});
        assertThatThrownBy(() -> TraceFile.read(file)).hasMessageContaining("is no text in UTF-8");
    }

    @Test
    void aMissingFileIsToldWithTheCommandThatMakesOne() {
        assertThatThrownBy(() -> TraceFile.read(scratch.resolve("none.jsonl")))
                .hasMessageContaining("there is no file")
                .hasMessageContaining("lab generate");
    }

    @Test
    void theFileIsTextOfUtf8() throws Exception {
        Path file = scratch.resolve("day.jsonl");
        Files.write(file, (HEAD.replace("}", ",\"origin\":\"ünicode\"}")).getBytes(StandardCharsets.UTF_8));
        assertThat(TraceFile.read(file).origin()).isEqualTo("ünicode");
    }
}
