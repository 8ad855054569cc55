package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.v1.ConfigEntry;
import io.enipam.v1.DoctorEvidence;
import io.enipam.v1.DoctorFinding;
import io.enipam.v1.Event;
import io.enipam.v1.GetConfigReply;
import io.enipam.v1.GetConfigRequest;
import io.enipam.v1.GetGcStatusRequest;
import io.enipam.v1.HistorySample;
import io.enipam.v1.RunDoctorReply;
import io.enipam.v1.RunDoctorRequest;
import io.grpc.Status;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The bundle as whoever receives it finds it: unpacked by the system's tar. */
class SupportBundleTest extends AttachedShell {
    @BeforeEach
    void recordHistory() {
        withHistory();
    }

    @Test
    void aBundleIsReadByTarAndEveryFileIsAsTheManifestSays() throws Exception {
        Map<String, String> files = made();

        JsonObject manifest = JsonParser.parseString(files.get("MANIFEST.json")).getAsJsonObject();
        JsonArray parts = manifest.getAsJsonArray("parts");
        assertThat(parts).hasSizeGreaterThan(30);
        for (JsonElement element : parts) {
            JsonObject part = element.getAsJsonObject();
            String file = part.get("file").getAsString();
            if (!file.isEmpty()) {
                assertThat(files).containsKey(file);
            }
            if (file.endsWith(".json") && !file.startsWith("kernel")) {
                assertThat(JsonParser.parseString(files.get(file)).isJsonNull())
                        .as(file)
                        .isFalse();
            }
        }
        assertThat(files.keySet())
                .contains(
                        "commands/status.txt",
                        "commands/status.json",
                        "commands/pool-inuse.json",
                        "commands/ecs-calls-limit-0.txt",
                        "commands/db-dump.json",
                        "daemon/history.json",
                        "system/meminfo.txt",
                        "kernel/sysctl.txt")
                .noneMatch(file -> file.contains("swap") || file.contains("cni-add") || file.contains("gc-run"));
        assertThat(run("sh", "-c", "cd " + directory + "/out/* && sha256sum -c SHA256SUMS"))
                .doesNotContain("FAILED");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive())))
                .isEqualTo("rw-------");
    }

    @Test
    void theReportIsWellFormedNeedsNothingFromElsewhereAndDrawsWhatTheHistoryHas() throws Exception {
        String report = made().get("report.html");
        Document document = parsed(report);

        assertThat(report).doesNotContain("<script").doesNotContain("url(").doesNotContain("@import");
        assertThat(attributes(document, "src")).isEmpty();
        assertThat(attributes(document, "href"))
                .isNotEmpty()
                .allSatisfy(link -> assertThat(link).startsWith("#"));
        assertThat(report).contains("default-src 'none'", "prefers-color-scheme");
        Map<String, Element> lines = lines(document);
        assertThat(values(lines.get("in use")))
                .isEqualTo(expected(s -> s.getCounts().getInUse()));
        assertThat(values(lines.get("idle")))
                .isEqualTo(expected(s -> s.getCounts().getIdle()));
        assertThat(values(lines.get("waiting"))).isEqualTo(expected(HistorySample::getWaiting));
        // a higher value is a smaller y: the drawing follows the numbers it says it has
        double[] ys = ys(lines.get("in use"));
        double[] used = values(lines.get("in use"));
        for (int i = 1; i < ys.length; i++) {
            assertThat(Math.signum(ys[i - 1] - ys[i])).isEqualTo(Math.signum(used[i] - used[i - 1]));
        }
    }

    @Test
    void theReportHasEachEniAsAGridAndWhoHadItsAddressesInTheLastHour() throws Exception {
        String report = made().get("report.html");

        assertThat(report).contains("IPv4  P U", "Leases on eni-1");
        assertThat(bars(report))
                .hasSize(2)
                .anySatisfy(bar -> assertThat(bar).startsWith("stands default/web-0, since "))
                .anySatisfy(bar -> assertThat(bar)
                        .startsWith("taken default/web-7, since ")
                        .endsWith(" by GC"));
    }

    private static List<String> bars(String report) throws Exception {
        List<String> bars = new ArrayList<>();
        NodeList all = parsed(report).getElementsByTagName("rect");
        for (int i = 0; i < all.getLength(); i++) {
            bars.add(((Element) all.item(i)).getAttribute("class") + " "
                    + all.item(i).getTextContent());
        }
        return bars;
    }

    @Test
    void dataIsNeverMarkup() throws Exception {
        daemon.happened(Event.newBuilder()
                .setSequence(9)
                .setSeverity("ERROR")
                .setType("Evil")
                .setSubject("<script>alert(1)</script>")
                .setMessage("\"><img src=x onerror=alert(1)> &amp; ]]> \u0000\u001b[31m \uFFFF")
                .build());

        String report = made().get("report.html");

        assertThat(report).doesNotContain("<script").doesNotContain("<img").contains("&lt;script&gt;");
        parsed(report);
    }

    @Test
    void noSecretOfTheConfigurationOrTheEventsIsAnywhere() throws Exception {
        daemon.answer(
                GetConfigRequest.class,
                GetConfigReply.newBuilder()
                        .addEntries(ConfigEntry.newBuilder()
                                .setKey("plugins.demo.api_token")
                                .setValue("planted-plugin-secret")
                                .setSource("enipam.yaml"))
                        .addEntries(ConfigEntry.newBuilder()
                                .setKey("credentials.access_key_secret")
                                .setValue("planted-cloud-secret")
                                .setSource("eni.json"))
                        .build());
        daemon.happened(Event.newBuilder()
                .setSequence(9)
                .setSeverity("ERROR")
                .setType("CloudRefused")
                .setMessage("AccessKeyId=LTAI5tPlantedKeyId99 Signature=planted-signature-xyz")
                .build());

        made();

        for (Path file : unpacked()) {
            assertThat(Files.readString(file))
                    .as(file.toString())
                    .doesNotContain("planted-plugin-secret")
                    .doesNotContain("planted-cloud-secret")
                    .doesNotContain("LTAI5tPlantedKeyId99")
                    .doesNotContain("planted-signature-xyz");
        }
    }

    @Test
    void aCommandThatFailsIsInTheManifestAndTheRestIsThere() throws Exception {
        daemon.fail(GetGcStatusRequest.class, Status.INTERNAL.withDescription("broken gears"));

        Map<String, String> files = made();

        assertThat(files.get("MANIFEST.json")).contains("broken gears");
        assertThat(files).containsKey("commands/pool-show.json").doesNotContainKey("commands/gc-status.json");
        assertThat(files.get("report.html")).contains("broken gears");
    }

    @Test
    void whatTheDoctorFoundIsExplainedAndTheStepsOfWhatFailedAreThere() throws Exception {
        daemon.answer(
                RunDoctorRequest.class,
                RunDoctorReply.newBuilder()
                        .addFindings(about("INFO", "eni-2"))
                        .addFindings(about("WARN", "/etc/enipam/enipam.yaml"))
                        .addFindings(about("CRITICAL", "10.0.1.8"))
                        .addFindings(about("CRITICAL", "10.0.1.8"))
                        .build());

        Map<String, String> files = made();

        JsonArray explained =
                JsonParser.parseString(files.get("stories/findings.json")).getAsJsonArray();
        assertThat(explained).hasSize(1);
        assertThat(explained.get(0).getAsJsonObject().get("what").getAsString()).isEqualTo("10.0.1.8");
        assertThat(files.get("stories/findings.txt")).contains("10.0.1.8").doesNotContain("\u001b");
        assertThat(files.get("stories/failures.txt")).contains("FAILED CLOUD_FAILED", "CreateNetworkInterface");
        JsonObject failed = JsonParser.parseString(files.get("stories/failures.json"))
                .getAsJsonObject()
                .getAsJsonArray("stories")
                .get(0)
                .getAsJsonObject();
        assertThat(failed.getAsJsonArray("spans")).isNotEmpty();
    }

    @Test
    void withoutADaemonTheMachineStillTells() throws Exception {
        daemon.close();

        TestShell.Result result = program("support-bundle", archive().toString());
        Map<String, String> files = contents();

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).contains("the daemon did not answer", archive() + " is there");
        assertThat(files).containsKeys("system/meminfo.txt", "kernel/sysctl.txt", "report.html");
        assertThat(files.get("kernel/sysctl.txt"))
                .as("all digits of a value")
                .contains("kernel.pid_max = "
                        + run("cat", "/proc/sys/kernel/pid_max").strip() + "\n");
        assertThat(files.get("report.html")).contains("the daemon did not answer");
        parsed(files.get("report.html"));
    }

    @Test
    void aFileThatIsThereStaysUnlessForced() throws Exception {
        Files.writeString(archive(), "precious");

        TestShell.Result refused = program("support-bundle", archive().toString());
        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("it exists", "--force");
        assertThat(archive()).hasContent("precious");

        TestShell.Result forced = program("support-bundle", archive().toString(), "--force", "-o", "json");
        assertThat(forced.status()).isZero();
        assertThat(JsonParser.parseString(forced.out())
                        .getAsJsonObject()
                        .get("bundle")
                        .getAsInt())
                .isEqualTo(1);
        assertThat(Files.size(archive())).isGreaterThan(1_000);
    }

    private static DoctorFinding about(String severity, String subject) {
        return DoctorFinding.newBuilder()
                .setCheck("some-check")
                .setSeverity(severity)
                .addEvidence(DoctorEvidence.newBuilder().setSubject(subject))
                .build();
    }

    private Map<String, String> made() throws Exception {
        TestShell.Result result = program("support-bundle", archive().toString());
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("parts:", "report.html");
        return contents();
    }

    private Map<String, String> contents() throws Exception {
        Files.createDirectories(directory.resolve("out"));
        run("tar", "-xzf", archive().toString(), "-C", directory.resolve("out").toString());
        Map<String, String> files = new HashMap<>();
        for (Path file : unpacked()) {
            Path inside = directory.resolve("out").relativize(file);
            files.put(inside.subpath(1, inside.getNameCount()).toString(), Files.readString(file));
        }
        return files;
    }

    private List<Path> unpacked() throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("out"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    private static Document parsed(String report) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        return factory.newDocumentBuilder().parse(new InputSource(new StringReader(report)));
    }

    private static List<String> attributes(Document document, String name) {
        List<String> values = new ArrayList<>();
        NodeList all = document.getElementsByTagName("*");
        for (int i = 0; i < all.getLength(); i++) {
            Element element = (Element) all.item(i);
            if (element.hasAttribute(name)) {
                values.add(element.getAttribute(name));
            }
        }
        return values;
    }

    /** The lines of the first chart that has them, by name. */
    private static Map<String, Element> lines(Document document) {
        Map<String, Element> lines = new HashMap<>();
        NodeList paths = document.getElementsByTagName("path");
        for (int i = 0; i < paths.getLength(); i++) {
            Element path = (Element) paths.item(i);
            lines.putIfAbsent(path.getAttribute("data-name"), path);
        }
        return lines;
    }

    private static double[] values(Element line) {
        return Arrays.stream(line.getAttribute("data-values").split(" "))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    private static double[] ys(Element line) {
        List<Double> ys = new ArrayList<>();
        for (String point : line.getAttribute("d").substring(1).split("L")) {
            ys.add(Double.parseDouble(point.split(" ")[1]));
        }
        return ys.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static double[] expected(ToDoubleFunction<HistorySample> value) {
        return CannedSamples.samples().stream().mapToDouble(value).toArray();
    }

    private Path archive() {
        return directory.resolve("bundle.tgz");
    }
}
