package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.enipam.shell.TestShell.Result;
import io.enipam.shell.core.Interrupts;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.pipe.CommandRunner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The commands of the lab, in front of a program that says what it was asked and prints canned lines; no daemon runs. */
class LabTest {
    private static final String RESULT = "{\"result\":{\"policy\":\"%s\",\"seed\":1,\"pods\":2000,\"served\":%d,"
            + "\"waitedShare\":0.0125,\"waitMeanMs\":171.5,\"waitP50Ms\":0,\"waitP99Ms\":13680,\"waitMostMs\":77222,\"failures\":%d,"
            + "\"failuresByCode\":{},\"apiCalls\":2016,\"callsByApi\":{\"CreateNetworkInterface\":2},\"throttled\":0,"
            + "\"eniChanges\":2,\"idleAddressHours\":172.99,\"heldAddressHours\":664.36,\"mostAddresses\":45}}";

    @TempDir
    Path home;

    static void program(Path home, String... lines) throws IOException {
        Path file = home.resolve("runtime/bin/enipam-lab");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "#!/bin/sh\nprintf '%s\\n' \"$@\" > " + home.resolve("words") + "\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String says(String policy, int served, int failures) {
        return "echo '" + String.format(RESULT, policy, served, failures) + "'";
    }

    private Result run(String... words) {
        return new TestShell(home, home).run(words);
    }

    @Test
    void eachPolicyIsARowAndTheProgramGetsWhatWasTyped() throws IOException {
        program(
                home,
                "echo '{\"progress\":{\"policy\":\"a\",\"part\":0.5,\"etaSeconds\":3}}'",
                says("watermark(min=5,max=10)", 2000, 0),
                says("warm-target", 1990, 12));
        Result result = run(
                "lab",
                "run",
                "day.jsonl",
                "--policy",
                "watermark(min=5,max=10)",
                "--policy",
                "warm-target",
                "--errors",
                "*=5");
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).isEqualTo("""
            POLICY                   WAITED  P50   P99     UNSERVED  FAILED  CALLS  THROTTLED  ENIS  IDLE
            watermark(min=5,max=10)  1.3%    0 ms  13.7 s  0         0       2016   0          2     173.0 h
            warm-target              1.3%    0 ms  13.7 s  10        12      2016   0          2     173.0 h
            """);
        assertThat(Files.readString(home.resolve("words")).lines())
                .containsExactly(
                        "run",
                        "day.jsonl",
                        "--throttle=default",
                        "--seed=1",
                        "--progress",
                        "--errors=*=5",
                        "--policy=watermark(min=5,max=10)",
                        "--policy=warm-target");
    }

    @Test
    void belowTheTableOfAFleetStandsTheNodeThatFaredWorst() throws IOException {
        program(
                home,
                says("watermark", 2000, 0)
                        .replace(
                                "\"policy\":",
                                "\"nodes\":50,\"worstNode\":7,\"worstNodePods\":40,\"worstNodeServed\":38,"
                                        + "\"worstNodeP99Ms\":4200,\"vswitchRefusals\":12,\"policy\":"));
        String event = "quota-cut(at=1h,for=1h,api=DescribeVSwitches,limit=1)";
        String policy = "watermark";
        Result result = run("lab", "run", "a.jsonl", "b.jsonl", "--nodes", "50", "--policy", policy, "--event", event);
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .endsWith("watermark: of 50 nodes number 7 fared worst (2 of 40 pods unserved, P99 4.2 s);"
                        + " 12 calls found no free address in a vSwitch\n");
        assertThat(Files.readString(home.resolve("words")).lines())
                .contains("a.jsonl", "b.jsonl", "--nodes=50", "--event=" + event);
    }

    @Test
    void jsonHasAllThatTheProgramSaid() throws IOException {
        program(home, says("watermark", 2000, 0));
        JsonObject json = JsonParser.parseString(run("lab", "run", "day.jsonl", "--policy", "watermark", "-o", "json")
                        .out())
                .getAsJsonObject();
        JsonObject result = json.getAsJsonArray("results").get(0).getAsJsonObject();
        assertThat(result.get("waitP99Ms").getAsString()).isEqualTo("13680");
        assertThat(result.get("waitedShare").getAsDouble()).isEqualTo(0.0125);
        assertThat(result.getAsJsonObject("callsByApi")
                        .get("CreateNetworkInterface")
                        .getAsString())
                .isEqualTo("2");
    }

    /** What a sweep of three says. */
    static void sweeps(Path home) throws IOException {
        program(
                home,
                says("watermark(min=0,max=5)", 2000, 0),
                says("watermark(min=5,max=5)", 2000, 0),
                says("watermark(min=5,max=10)", 2000, 0),
                "echo '{\"sweep\":{\"front\":[\"watermark(min=5,max=5)\",\"watermark(min=0,max=5)\"],"
                        + "\"present\":\"watermark(min=0,max=5)\",\"place\":\"Your setting is here.\","
                        + "\"advice\":[\"Set.\",\"With.\",\"For.\"]}}'");
    }

    @Test
    void aSweepListsItsFrontDrawsItAndSaysWhereTheSettingInForceIs() throws IOException {
        sweeps(home);
        List<String> lines = run("lab", "sweep", "day.jsonl").out().lines().toList();
        assertThat(lines.subList(0, 3))
                .extracting(line -> line.split(" {2}")[0])
                .containsExactly("POLICY", "watermark(min=5,max=5)", "watermark(min=0,max=5)");
        assertThat(lines.get(3)).isEqualTo("idle address-hours; * the front, @ the present setting");
        assertThat(lines.subList(4, lines.size() - 2)).hasSize(10).anyMatch(line -> line.contains("@"));
        assertThat(lines.get(lines.size() - 2)).endsWith("200 ms of waiting a pod, on average");
        assertThat(lines.get(lines.size() - 1)).isEqualTo("Your setting is here.");
        assertThat(run("lab", "sweep", "day.jsonl", "--all", "-o", "name").out().lines())
                .hasSize(3);
        assertThat(run("lab", "advise", "day.jsonl", "--p99", "200ms").out()).isEqualTo("Set.\nWith.\nFor.\n");
        assertThat(Files.readString(home.resolve("words")).lines()).contains("--p99=200");
        assertThat(run("lab", "advise", "day.jsonl", "-o", "json").out()).contains("\"Set.\"");
    }

    @Test
    void aReportIsAWellFormedPageWithAllFiguresAndThePresentSettingMarked() throws Exception {
        sweeps(home);
        Path page = home.resolve("report.html");
        Path picture = home.resolve("report.svg");
        String[] words = {"lab", "sweep", "day<1>.jsonl", "--html", page.toString(), "--svg", picture.toString()};
        Result result = run(words);
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).startsWith("POLICY").endsWith("Your setting is here.\n");

        Document report = xml(page);
        assertThat(report.getElementsByTagName("circle").getLength()).isEqualTo(3);
        assertThat(Files.readString(page))
                .contains("Replays of day&lt;1&gt;.jsonl", "Your setting is here.", "watermark(min=0,max=5) (present)")
                .contains("<td>13680\u00a0ms</td>", "<td>173.0\u00a0h</td>", "CreateNetworkInterface 2")
                .containsOnlyOnce("class=\"k4\"");
        assertThat(xml(picture).getDocumentElement().getTagName()).isEqualTo("svg");
        assertThat(Files.readString(picture)).contains("<style>", "class=\"line k0\"");

        assertThat(run(words).err()).contains("report.html: it exists", "--force");
        program(home, says("watermark", 2000, 0));
        assertThat(run("lab", "run", "day.jsonl", "--policy", "watermark", "--html", page.toString(), "-f")
                        .status())
                .isZero();
        assertThat(Files.readString(page)).contains("Replays of day.jsonl").doesNotContain("(present)");
        assertThat(run(
                                "lab",
                                "run",
                                "day.jsonl",
                                "--policy",
                                "watermark",
                                "--html",
                                home.resolve("no/x").toString())
                        .err())
                .contains("its directory does not exist");
    }

    private static Document xml(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(Files.readString(file).replaceFirst("<!DOCTYPE html>", ""))));
    }

    /** The daemon remembers two leases, of which one stands. */
    @Test
    void aRecordIsATraceOfTheHistoryWithHashesInThePlaceOfNames() throws IOException {
        try (FakeDaemon daemon = new FakeDaemon(home.resolve("s"))) {
            Result named =
                    new TestShell(home, home).at(home.resolve("s"), "lab", "record", "--since", "31d", "--names");
            assertThat(named.err()).isEmpty();
            assertThat(named.out().lines().findFirst().orElseThrow())
                    .startsWith("{\"format\":\"enipam-lab-trace\",\"version\":1,\"lengthMs\":2678400000");
            assertThat(named.out().lines().skip(1))
                    .isNotEmpty()
                    .allMatch(line ->
                            line.matches("\\{\"atMs\":[0-9]+,\"pod\":\"[a-z-]+/[a-z0-9-]+\"(,\"livesMs\":[0-9]+)?}"))
                    .anyMatch(line -> line.contains("default/web-0"));
            Result hashed = new TestShell(home, home).at(home.resolve("s"), "lab", "record", "--since", "31d");
            assertThat(hashed.out())
                    .doesNotContain("default", "web-0")
                    // lab import has the same hash for the same pod
                    .contains("n-37a8eec1ce19/p-53842afe623a");
            assertThat(hashed.out().lines().skip(1))
                    .allMatch(line -> line.matches(".*\"pod\":\"n-[0-9a-f]{12}/p-[0-9a-f]{12}\".*"));
        }
    }

    @Test
    void aFaultThatIsFoundIsShownWithItsShortScriptAndTheStatusSaysSo() throws IOException {
        String script =
                "\"script\":[\"enipam-lab-script 1 seed=71 failures=0% latency=0ms disk=0us\",\"1 add container=0\"]";
        program(
                home,
                "echo '{\"progress\":{\"policy\":\"70 scripts, 0 failed\",\"part\":0.5,\"etaSeconds\":3}}'",
                "echo '{\"finding\":{\"seed\":71,\"invariant\":\"a lease that was acknowledged is on disk\",\"at\":\"step 13\","
                        + "\"expected\":\"c0 has cloud/10.0.0.1\",\"seen\":\"leases of []\",\"steps\":150,\"shrunk\":1,"
                        + "\"runs\":148," + script + ",\"replay\":\"lab replay 71\"}}'",
                "echo '{\"fuzz\":{\"first\":1,\"scripts\":100,\"failed\":2,\"findings\":1}}'",
                "exit 3");
        Result result = run("lab", "fuzz", "--first", "1", "--seeds", "100");
        assertThat(result.out()).isEqualTo("""
            seed 71, behind step 13 of 150: a lease that was acknowledged is on disk
              expected  c0 has cloud/10.0.0.1
              seen      leases of []
              replay    lab replay 71
              script, 1 step after 148 runs:
                enipam-lab-script 1 seed=71 failures=0% latency=0ms disk=0us
                1 add container=0
            100 scripts, from seed 1 to 100: 2 failed
            """);
        assertThat(result.err()).contains("1 invariant of the engine is broken. See it step by step: lab replay SEED");
        assertThat(result.status()).isEqualTo(1);
        assertThat(Files.readString(home.resolve("words")).lines())
                .containsExactly("fuzz", "--progress", "--seeds=100", "--first=1");
        assertThat(run("lab", "fuzz", "-o", "name").out()).isEqualTo("71\n");
        assertThat(JsonParser.parseString(run("lab", "fuzz", "-o", "json").out())
                        .getAsJsonObject()
                        .getAsJsonArray("findings")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("script"))
                .hasSize(2);
    }

    @Test
    void aReplayShowsEachStepInLinesOfEightyCharactersAndSavesItsScript() throws IOException {
        program(
                home,
                "echo '{\"script\":{\"seed\":71,\"steps\":1,\"lines\":[\"head\",\"1 add container=0\"]}}'",
                "echo '{\"step\":{\"atMs\":1250,\"step\":\"1 add container=0\",\"news\":[\"LeaseGranted: "
                        + "default/p0 ".repeat(9) + "\"]}}'",
                "echo '{\"violation\":{\"invariant\":\"an owner has one address\",\"at\":\"step 1\","
                        + "\"expected\":\"no owner twice\",\"seen\":\"[c0, c0]\"}}'",
                "exit 3");
        Path file = home.resolve("script.txt");
        Result result = run("lab", "replay", "71", "--save", file.toString());
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("an invariant is broken: an owner has one address");
        assertThat(result.out().lines())
                .startsWith("    1.250s  1 add container=0")
                .contains("behind step 1 this does not hold:", "  expected   no owner twice", "  seen       [c0, c0]")
                .allMatch(line -> line.length() <= 80)
                .hasSize(7);
        assertThat(file).hasContent("head\n1 add container=0\n");
        JsonObject json = JsonParser.parseString(
                        run("lab", "replay", "71", "-o", "json").out())
                .getAsJsonObject();
        assertThat(json.getAsJsonArray("steps")).hasSize(1);
        assertThat(json.getAsJsonObject("violation").get("seen").getAsString()).isEqualTo("[c0, c0]");
    }

    @Test
    void whatTheProgramRefusesIsAUsageError() throws IOException {
        program(
                home,
                "echo 'building enipam' >&2",
                "echo 'enipam-lab: there is no policy none; there are watermark' >&2",
                "exit 2");
        Result result = run("lab", "run", "day.jsonl", "--policy", "none");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("there is no policy none; there are watermark")
                .doesNotContain("building");
    }

    @Test
    void aProgramThatFailsOrIsNotThereIsSaidSo() throws IOException {
        assertThat(run("lab", "run", "day.jsonl", "--policy", "watermark").err())
                .contains("there is no program");
        program(home, "echo boom >&2", "exit 1");
        Result result = run("lab", "run", "day.jsonl", "--policy", "watermark");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("the lab failed: boom");
    }

    @Test
    void aTraceIsPrintedOrSavedWhole() throws IOException {
        program(home, "echo '{\"format\":\"enipam-lab-trace\"}'", "echo '{\"atMs\":1}'");
        String trace = "{\"format\":\"enipam-lab-trace\"}\n{\"atMs\":1}\n";
        assertThat(run("lab", "generate", "--pattern", "cron").out()).isEqualTo(trace);
        Path file = home.resolve("day.jsonl");
        assertThat(run("lab", "generate", "--pattern", "cron", file.toString()).out())
                .isEqualTo("wrote " + file + ": " + trace.length() + " bytes\n");
        assertThat(file).hasContent(trace);
        assertThat(run("lab", "generate", "--pattern", "cron", file.toString()).err())
                .contains("it exists");
    }

    @Test
    void whatTheProgramHasToSayOfAnImportStandsBelowIt() throws IOException {
        program(
                home,
                "echo '{\"format\":\"enipam-lab-trace\"}'",
                "echo 'enipam-lab: note: 3 lines \033[31mof another program' >&2",
                "echo 'of no interest' >&2");
        Path file = home.resolve("day.jsonl");
        Result made = run("lab", "import", "a.log", "b.gz", "--to", file.toString(), "--names", "--node", "node-1");
        assertThat(made.out()).isEqualTo("wrote " + file + ": 30 bytes\n3 lines \uFFFD[31mof another program\n");
        assertThat(made.err()).isEmpty();
        assertThat(file).hasContent("{\"format\":\"enipam-lab-trace\"}\n");
        assertThat(Files.readString(home.resolve("words")).lines())
                .containsExactly("import", "--names", "--node=node-1", "--", "a.log", "b.gz");
        assertThat(run("lab", "import", "a.log", "--to", file.toString()).err()).contains("it exists");
        JsonObject json = JsonParser.parseString(
                        run("lab", "import", "a.log", "--to", file.toString(), "--yes", "-o", "json")
                                .out())
                .getAsJsonObject();
        assertThat(json.getAsJsonArray("notes")).hasSize(1);

        Result printed = run("lab", "import", "a.log");
        assertThat(printed.out()).isEqualTo("{\"format\":\"enipam-lab-trace\"}\n");
        assertThat(printed.err()).isEqualTo("3 lines \uFFFD[31mof another program\n");
    }

    @Test
    void aPatternThatThereIsNotIsRefusedBeforeAnythingRuns() {
        Result result = run("lab", "generate", "--pattern", "chaos");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err())
                .contains("there is no pattern 'chaos'")
                .contains("deploy, cron, batch, drain, diurnal, steady");
    }

    /**
     * The program hangs within its second result, until the operator has enough. What it had written by then was lost where the shell had not
     * read it yet.
     */
    @RepeatedTest(10)
    @Timeout(120)
    void ctrlCKeepsWhatIsDone() throws IOException {
        program(
                home,
                says("watermark", 2000, 0),
                "printf '{\"resu'",
                "touch " + home.resolve("hangs"),
                "exec sleep 600");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        try (Session session = Session.detached(
                new SessionOutput(out, out, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                InstantSource.system(),
                ZoneOffset.UTC)) {
            session.home(home);
            Interrupts.daemonThreads("ctrl-c")
                    .newThread(() -> {
                        while (!Files.exists(home.resolve("hangs"))) {
                            Thread.onSpinWait();
                        }
                        session.interrupts().interrupt();
                    })
                    .start();
            new CommandRunner(session).line("lab run day.jsonl --policy watermark --policy warm-target");
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("watermark")
                .contains("1.3%")
                .contains("ended after 1 replay, before the last one");
    }
}
