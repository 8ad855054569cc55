package io.enipam.shell.pipe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.shell.attach.ShellException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What each filter makes of lines. In the tables a slash ends a line. */
class FiltersTest {
    private static final PrintStream NOWHERE =
            new PrintStream(PrintStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    private static String filtered(String filters, String lines) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PipelineExecution flow = new PipelineExecution(
                Pipeline.parse("x | " + filters).get(0),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                false,
                () -> {})) {
            flow.input().print(lines);
            boolean found = flow.end(true);
            return out.toString(StandardCharsets.UTF_8) + (found ? "" : "(nothing)");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "grep b                 ~ abc/xyz/b/    ~ abc/b/",
                "grep -v b              ~ abc/xyz/b/    ~ xyz/",
                "grep -vc b             ~ abc/xyz/b/    ~ 1/",
                "grep -i B              ~ abc/xyz/b/    ~ abc/b/",
                "grep -E '^(x|b)'       ~ abc/xyz/b/    ~ xyz/b/",
                "grep -F '.'            ~ a.c/abc/      ~ a.c/",
                "grep -F -i 'A.C'       ~ a.c/abc/      ~ a.c/",
                "grep -- -v             ~ a -v/b/       ~ a -v/",
                "grep q                 ~ abc/          ~ (nothing)",
                "grep -c q              ~ abc/          ~ 0/(nothing)",
                "grep q | wc -l         ~ abc/          ~ 0/",
                "head -n 2              ~ a/b/c/        ~ a/b/",
                "head -n 0              ~ a/b/c/        ~ ``",
                "head -2                ~ a/b/c/        ~ a/b/",
                "tail -2                ~ a/b/c/        ~ b/c/",
                "head                   ~ a/b           ~ a/b/",
                "tail -n 2              ~ a/b/c/        ~ b/c/",
                "tail -n 0              ~ a/b/c/        ~ ``",
                "tail -n 2 | head -n 1  ~ a/b/c/        ~ b/",
                "wc -l                  ~ a b/c/        ~ 2/",
                "wc                     ~ ä b/c/        ~ 2 3 6/",
                "sort                   ~ b/a/B/a/      ~ B/a/a/b/",
                "sort -u                ~ b/a/B/a/      ~ B/a/b/",
                "sort -r                ~ b/a/c/        ~ c/b/a/",
                "sort -n                ~ 10/9/-1/x/1.5/ ~ -1/x/1.5/9/10/",
                "sort -nu               ~ 9 a/9 b/8/    ~ 8/9 a/",
                "sort -k 2              ~ a z/b y/      ~ b y/a z/",
                "sort -k 2 -n -r        ~ a 9/b 10/c/   ~ b 10/a 9/c/",
                "jq -c .                ~ {\"a\":1}/      ~ {\"a\":1}/",
                "jq .a                  ~ {\"a\":\"b\"}     ~ \"b\"/",
                "jq -r .a               ~ {\"a\":\"b\"}     ~ b/",
                "jq -r '.[]'            ~ [1,\"x\",null]  ~ 1/x/null/",
                "jq -c .a               ~ {\"a\":{\"b\":1.5}}/{/\"a\":2} ~ {\"b\":1.5}/2/",
                "jq -e .a               ~ {\"a\":false}   ~ false/(nothing)",
                "jq -e .a               ~ {\"a\":0}       ~ 0/",
                "jq -e .a               ~ ``            ~ (nothing)",
                "jq '.[]' | sort -n     ~ [3,1]         ~ 1/3/",
                "jq -r '[.[]]|@tsv'     ~ [1,2]         ~ 1\t2/",
            })
    void takesLinesAndHandsOnWhatIsAskedFor(String filters, String lines, String seen) {
        String given = lines.replace('/', '\n');
        assertThat(filtered(filters, given)).isEqualTo(seen.replace('/', '\n'));
    }

    @Test
    void jqWritesAsJqDoes() {
        assertThat(filtered("jq .", "{\"a\":[1,{}],\"b\":[]}"))
                .isEqualTo("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}\n");
    }

    @Test
    void jqLetsNoEscapeSequenceOutOfItsQuotes() {
        String json = "{\"a\":\"x\\u001b[2Jy\\nz\"}";

        assertThat(filtered("jq -r .a", json)).isEqualTo("x\uFFFD[2Jy\nz\n");
        assertThat(filtered("jq .a", json)).isEqualTo("\"x\\u001B[2Jy\\nz\"\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "jq .                ~ POD  ADDRESS    ~ jq: what it is given is no JSON",
                "jq .                ~ {\"a\":         ~ jq: the JSON ends in the middle of a document",
                "jq '.a.b'           ~ {\"a\":1}       ~ jq: Cannot index number with",
                "jq 'def f: f+1; f'  ~ 1               ~ jq: the expression does not come to an end",
            })
    void jqSaysWhatItCannotDo(String filter, String lines, String why) {
        assertThatThrownBy(() -> filtered(filter, lines))
                .isInstanceOf(ShellException.class)
                .hasMessageStartingWith(why);
    }

    @Test
    void aPatternThatTakesOtherGrepsForEverIsAnsweredAtOnce() {
        assertThat(filtered("grep '^(a+)+$'", "a".repeat(5_000) + "b\n")).isEqualTo("(nothing)");
    }

    @Test
    void whoHasEnoughIsToldOfNoMore() {
        AtomicInteger told = new AtomicInteger();
        PipelineExecution flow = new PipelineExecution(
                Pipeline.parse("x | jq '.[]' | head -n 2").get(0), NOWHERE, false, told::incrementAndGet);

        flow.input().println("[1,2,3]");
        flow.input().flush();
        flow.input().println("no JSON, but nobody reads it");

        assertThat(told).hasValue(1);
        assertThat(flow.cut()).isTrue();
        assertThat(flow.input().checkError()).isTrue();
        assertThat(flow.end(true)).isTrue();
    }

    @Test
    void anExpressionNestedTooDeeplyIsAUsageError() {
        String deep = "(".repeat(60_000) + "." + ")".repeat(60_000);

        assertThatThrownBy(() -> filtered("jq '" + deep + "'", "1"))
                .isInstanceOf(ShellException.class)
                .hasMessage("jq: the expression is nested too deeply");
    }

    @Test
    void anExpressionThatNeverComesBackIsLeftToItselfWhenTheCommandIsInterrupted() {
        io.grpc.Context.CancellableContext context = io.grpc.Context.current().withCancellation();
        context.cancel(null);

        String endless = "jq '\"" + "a".repeat(27) + "!\" | test(\"^(a+)+$\")'";
        assertThatThrownBy(() -> context.call(() -> filtered(endless, "1\n")))
                .isInstanceOf(ShellException.class)
                .hasMessage("interrupted");
    }

    @Test
    void aWordThatBeginsWithAnAtSignIsNoFileOfOptions(@org.junit.jupiter.api.io.TempDir java.nio.file.Path directory)
            throws java.io.IOException {
        java.nio.file.Path file = java.nio.file.Files.writeString(directory.resolve("f"), "-v b");

        assertThat(filtered("grep @" + file, "b\n@" + file + "\n")).isEqualTo("@" + file + "\n");
    }

    @Test
    void anExpressionWithoutEndEndsWithItsReader() {
        assertThat(filtered("jq 'range(1; 1e9)' | head -n 2", "1")).isEqualTo("1\n2\n");
    }
}
