package io.enipam.shell.runbook;

import static io.enipam.shell.runbook.FakeCommandExecutor.fails;
import static io.enipam.shell.runbook.FakeCommandExecutor.prints;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException.FailureOrigin;
import io.enipam.shell.runbook.RunReport.JsonLinesReport;
import io.enipam.shell.runbook.RunbookParser.InvalidRunbookException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** A run as programs read it. */
class RunReportTest {
    private static final String HEADER = "---\nname: demo-book\nparam pod: string = a<b\n---\n";

    private final FakeCommandExecutor commands = new FakeCommandExecutor();

    private byte[] report(String text, Function<PrintStream, RunReport> report) throws InvalidRunbookException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new RunbookRunner(commands, report.apply(new PrintStream(out, true, StandardCharsets.UTF_8)))
                .run(RunbookParser.parse(ScriptSource.text("demo", HEADER + text), Map.of(), true, commands));
        return out.toByteArray();
    }

    private List<JsonObject> lines(String text) throws InvalidRunbookException {
        return new String(report(text, JsonLinesReport::new), StandardCharsets.UTF_8)
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }

    private Document xml(String text) throws Exception {
        byte[] xml = report(text, out -> new JunitReport(out, "node-1"));
        SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                .newSchema(RunReportTest.class.getResource("/junit-report.xsd"))
                .newValidator()
                .validate(new StreamSource(new ByteArrayInputStream(xml)));
        return DocumentBuilderFactory.newDefaultInstance().newDocumentBuilder().parse(new ByteArrayInputStream(xml));
    }

    @Test
    void aLineOfJsonForEachStepThatEnded() throws InvalidRunbookException {
        commands.answer("pool", prints("{\"n\": 5}"), prints("{\"n\": 6}"));

        List<JsonObject> lines = lines("add ${pod}\nif 1 == 1\n  retry 5s: expect pool | jq .n == 6\nend\n");

        assertThat(lines)
                .extracting(line -> line.get("event").getAsString())
                .containsExactly("begin", "step", "step", "step", "end");
        assertThat(lines.get(0))
                .hasToString(
                        "{\"event\":\"begin\",\"file\":\"demo\",\"name\":\"demo-book\",\"needs\":\"control\",\"values\":{\"pod\":\"a<b\"}}");
        assertThat(lines.get(1))
                .hasToString(
                        "{\"event\":\"step\",\"number\":1,\"file\":\"demo\",\"line\":5,\"depth\":0,\"kind\":\"run\","
                                + "\"text\":\"add a<b\",\"changes\":true,\"state\":\"passed\",\"tries\":1,"
                                + "\"began\":\"2026-11-21T12:00:00Z\",\"tookMs\":0,\"output\":\"\"}");
        assertThat(lines.get(3))
                .hasToString(
                        "{\"event\":\"step\",\"number\":3,\"file\":\"demo\",\"line\":7,\"depth\":1,\"kind\":\"retry\","
                                + "\"text\":\"retry 5s: expect pool | jq .n == 6\",\"changes\":false,\"state\":\"passed\","
                                + "\"tries\":2,\"began\":\"2026-11-21T12:00:00Z\",\"tookMs\":500,\"output\":\"6\"}");
        assertThat(lines.get(4)).hasToString("{\"event\":\"end\",\"exit\":0,\"steps\":3,\"changed\":1,\"tookMs\":500}");
    }

    @Test
    void whatWasExpectedAndWhatWasSeenAreFields() throws InvalidRunbookException {
        commands.answer("pool", prints("{\"n\": 5}"));

        List<JsonObject> lines =
                lines("on-error\n  unkown-but-echoed: x\nend\n".replace("unkown-but-echoed: x", "echo ${pod}")
                        + "expect pool | jq .n == 6\n");

        assertThat(lines.get(1).get("state").getAsString()).isEqualTo("failed");
        assertThat(lines.get(1).getAsJsonObject("failure"))
                .hasToString("{\"exit\":4,\"why\":\"expected pool | jq .n == 6, and saw 5\","
                        + "\"expected\":\"pool | jq .n == 6\",\"seen\":\"5\"}");
        assertThat(lines.get(lines.size() - 1).get("exit").getAsInt()).isEqualTo(4);
        assertThat(lines.get(lines.size() - 1)
                        .getAsJsonObject("stopped")
                        .get("line")
                        .getAsInt())
                .isEqualTo(8);
    }

    @Test
    void junitReadsStepsAsCases() throws Exception {
        commands.answer("pool", prints("{\"n\": 5}")).answer("db a<b", fails(ExitStatus.REFUSED, "no <record>"));

        Element failed = (Element) xml("add ${pod}\nexpect pool | jq .n == 6\n")
                .getElementsByTagName("testsuite")
                .item(0);
        Element broken =
                (Element) xml("db ${pod}\n").getElementsByTagName("testsuite").item(0);

        assertThat(failed.getAttribute("name")).isEqualTo("demo-book");
        assertThat(failed.getAttribute("tests")).isEqualTo("2");
        assertThat(failed.getAttribute("failures")).isEqualTo("1");
        assertThat(failed.getAttribute("errors")).isEqualTo("0");
        assertThat(((Element) failed.getElementsByTagName("failure").item(0)).getAttribute("message"))
                .isEqualTo("expected pool | jq .n == 6, and saw 5");
        assertThat(((Element) failed.getElementsByTagName("testcase").item(0)).getAttribute("name"))
                .isEqualTo("5: add a<b");
        assertThat(broken.getAttribute("errors")).isEqualTo("1");
        assertThat(broken.getElementsByTagName("error").item(0).getTextContent())
                .isEqualTo("demo:5: no <record>");
    }

    @Test
    void whatXmlCannotHoldDoesNotBreakIt() throws Exception {
        commands.answer("pool", prints("a\u0000b\u001b[2J\u0008 \uFFFE \uD800 ]]> \u009b"));

        Element suite = (Element)
                xml("pool\necho ${pod}\n").getElementsByTagName("testsuite").item(0);

        assertThat(suite.getElementsByTagName("system-out").item(0).getTextContent())
                .contains("]]>", "echo a<b")
                .doesNotContain("\u001b", "\u009b");
    }

    @Test
    void ofLongOutputTheBeginningAndTheEndAreKeptAndTheRestIsCounted() throws Exception {
        commands.answer("pool", prints("begins", "x".repeat(1 << 20), "ends"));

        String text = xml("pool\necho ${pod}\n")
                .getElementsByTagName("system-out")
                .item(0)
                .getTextContent();

        assertThat(text)
                .contains("begins\nxxx", "xxx\nends\n", "\n[983,053 of 1,048,589 characters left out]\n", "echo a<b")
                .hasSizeLessThan(JunitReport.OUTPUT + 1_000);
    }

    @Test
    void ofManyOutputsTheFirstAreKeptAndThatOfTheFailure() throws Exception {
        commands.answer("pool", prints("w".repeat(JunitReport.OUTPUT - 1)))
                .answer(
                        "db a<b",
                        new CommandExecutor.Outcome(1, "the last words\n", "no", Optional.of(FailureOrigin.DAEMON)));

        String text = xml("for i in list" + " x".repeat(200) + "\n  pool\n  echo ${i}\nend\ndb ${pod}\n")
                .getElementsByTagName("system-out")
                .item(0)
                .getTextContent();

        assertThat(text)
                .hasSizeLessThan(JunitReport.ALL_OUTPUT + 200 * 200)
                .contains("[65,536 of 65,536 characters left out]", "the last words");
    }
}
