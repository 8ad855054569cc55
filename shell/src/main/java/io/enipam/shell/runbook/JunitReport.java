package io.enipam.shell.runbook;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.core.Palette;
import io.enipam.shell.runbook.RunResult.StepFailure;
import io.enipam.shell.runbook.Runbook.SourcePosition;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A run as JUnit's XML: a suite whose cases are the steps, a failed expectation a failure, a failed command an error.
 * Written at the end, as it begins with figures; so of each output {@value #OUTPUT} characters are kept, and {@value
 * #ALL_OUTPUT} of all but failed steps.
 */
public final class JunitReport implements RunReport {
    static final int OUTPUT = 64 << 10;

    static final int ALL_OUTPUT = 8 << 20;

    private static final int TEXT = 1_000;

    private static final DateTimeFormatter WITHOUT_ZONE =
            DateTimeFormatter.ISO_LOCAL_DATE_TIME.withZone(ZoneOffset.UTC);

    private final PrintStream out;
    private final String host;
    private final List<StepRecord> steps = new ArrayList<>();
    private final Map<String, String> given = new TreeMap<>();
    private String file = "";
    private String suite = "";
    private int kept;

    public JunitReport(PrintStream out, String host) {
        this.out = out;
        this.host = host;
    }

    @Override
    public void begins(Runbook runbook, Map<String, String> values) {
        file = runbook.file();
        suite = runbook.header().name().isEmpty() ? file : runbook.header().name();
        given.putAll(values);
    }

    @Override
    public void ended(StepRecord step) {
        int room = step.result().failure().isPresent() ? OUTPUT : Math.min(OUTPUT, ALL_OUTPUT - kept);
        kept = Math.min(ALL_OUTPUT, kept + Math.min(step.result().output().length(), room));
        steps.add(step.bounded(TEXT, Math.max(0, room)));
    }

    @Override
    public void ended(RunResult result) {
        Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            xml.writeStartDocument("UTF-8", "1.0");
            xml.writeCharacters("\n");
            xml.writeStartElement("testsuites");
            suite(xml, result);
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
            text.write("\n");
            text.flush();
        } catch (XMLStreamException | IOException e) {
            throw new IllegalStateException("a print stream remembers its errors, and throws none", e);
        }
    }

    private void suite(XMLStreamWriter xml, RunResult result) throws XMLStreamException {
        Instant began = steps.isEmpty() ? Instant.EPOCH : steps.get(0).began();
        List<StepFailure> failures =
                steps.stream().flatMap(step -> step.result().failure().stream()).toList();
        long unexpected = failures.stream().filter(JunitReport::isExpectation).count();
        xml.writeStartElement("testsuite");
        attribute(xml, "name", suite);
        attribute(xml, "timestamp", WITHOUT_ZONE.format(began.truncatedTo(ChronoUnit.SECONDS)));
        attribute(xml, "hostname", host);
        attribute(xml, "tests", Long.toString(steps.size()));
        attribute(xml, "failures", Long.toString(unexpected));
        attribute(xml, "errors", Long.toString(failures.size() - unexpected));
        attribute(xml, "skipped", "0");
        attribute(xml, "time", seconds(result.took()));
        attribute(xml, "package", file);
        attribute(xml, "id", "0");
        xml.writeStartElement("properties");
        for (Map.Entry<String, String> value : given.entrySet()) {
            xml.writeEmptyElement("property");
            attribute(xml, "name", value.getKey());
            attribute(xml, "value", value.getValue());
        }
        xml.writeEndElement();
        for (StepRecord step : steps) {
            testcase(xml, step);
        }
        xml.writeStartElement("system-out");
        for (StepRecord step : steps) {
            String title = step.step().place().ofLine() + ": " + step.step().text();
            xml.writeCharacters(
                    readable(title + "\n" + Palette.plain(step.result().output())) + "\n");
        }
        xml.writeEndElement();
        xml.writeStartElement("system-err");
        xml.writeCharacters(readable(result.line()));
        xml.writeEndElement();
        xml.writeEndElement();
    }

    private void testcase(XMLStreamWriter xml, StepRecord step) throws XMLStreamException {
        SourcePosition place = step.step().place();
        xml.writeStartElement("testcase");
        attribute(xml, "name", place.line() + ": " + step.step().text());
        attribute(xml, "classname", place.file());
        attribute(xml, "time", seconds(step.took()));
        if (step.result().failure().isPresent()) {
            StepFailure failure = step.result().failure().get();
            xml.writeStartElement(isExpectation(failure) ? "failure" : "error");
            attribute(xml, "message", failure.why());
            attribute(xml, "type", failure.exit().name().toLowerCase(Locale.ROOT));
            xml.writeCharacters(readable(place.ofLine() + ": " + failure.why()));
            xml.writeEndElement();
        }
        xml.writeEndElement();
    }

    private static boolean isExpectation(StepFailure failure) {
        return failure.exit() == ExitStatus.UNEXPECTED;
    }

    private static void attribute(XMLStreamWriter xml, String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, readable(value));
    }

    private static String seconds(Duration span) {
        return String.format(Locale.ROOT, "%.3f", span.toNanos() / 1e9);
    }

    /** Without what XML cannot hold, nor a terminal should see. */
    private static String readable(String text) {
        return text.lines()
                .map(Palette::clean)
                .map(line -> line.replaceAll("[\\uFFFE\\uFFFF]", "\uFFFD"))
                .collect(Collectors.joining("\n"));
    }
}
