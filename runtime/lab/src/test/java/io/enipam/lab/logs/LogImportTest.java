package io.enipam.lab.logs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.enipam.lab.logs.LogImport.Imported;
import io.enipam.lab.trace.Trace;
import io.enipam.lab.trace.Trace.Sandbox;
import io.enipam.lab.trace.TraceFile;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogImportTest {
    private static final String UID = "51a5ca8e-4e46-451b-bbac-525543a80861";
    private static final String SANDBOX = "ee86fb8be61987b83e1da1338b09fc0a83dcd12f9754455e668b16dc98f20f48";
    /** A quarter of a second until it has its address, then ten seconds. */
    private static final Sandbox WEB = sandbox(1000, "default/web-0", 10_000);

    @TempDir
    Path scratch;

    private static Sandbox sandbox(long at, String pod, long lives) {
        return new Sandbox(Duration.ofMillis(at), pod, Optional.of(Duration.ofMillis(lives)), "");
    }

    private Path file(String name, String... lines) throws IOException {
        return Files.writeString(scratch.resolve(name), String.join("\n", lines) + "\n");
    }

    private static Imported read(Path... files) throws TraceException {
        return LogImport.read(List.of(files), true, Optional.empty());
    }

    private static Trace only(Imported imported) {
        assertThat(imported.traces()).hasSize(1);
        return imported.traces().get(0);
    }

    private static String time(int second, int milli) {
        return String.format("2026-11-27T10:00:%02d.%03d000000Z", second, milli);
    }

    /** As containerd writes a line: with Go's quotes. */
    private static String containerd(String time, String level, String message, String more) {
        return "time=\"" + time + "\" level=" + level + " msg=\"" + message.replace("\"", "\\\"") + "\"" + more;
    }

    private static String info(int second, int milli, String message) {
        return containerd(time(second, milli), "info", message, "");
    }

    private static String old(String pod, String uid) {
        return "&PodSandboxMetadata{Name:" + pod + ",Uid:" + uid + ",Namespace:default,Attempt:0,}";
    }

    /** One second after the log's first line a pod comes. */
    private static List<String> life(String metadata) {
        return List.of(
                info(0, 0, "Start event monitor"),
                info(1, 0, "RunPodSandbox for " + metadata),
                info(1, 250, "RunPodSandbox for " + metadata + " returns sandbox id \"" + SANDBOX + "\""),
                info(11, 0, "StopPodSandbox for \"" + SANDBOX + "\""),
                info(11, 250, "TearDown network for sandbox \"" + SANDBOX + "\" successfully"),
                info(11, 260, "StopPodSandbox for \"" + SANDBOX + "\" returns successfully"),
                info(20, 0, "StopPodSandbox for \"" + SANDBOX + "\""),
                info(20, 10, "TearDown network for sandbox \"" + SANDBOX + "\" successfully"));
    }

    private static String json(String line) {
        String time = line.substring(6, 36);
        String message = line.substring(line.indexOf("msg=\"") + 5, line.length() - 1);
        return "{\"level\":\"info\",\"msg\":\"" + message.replace("&", "\\u0026") + "\",\"time\":\"" + time + "\"}";
    }

    static List<List<String>> shapesOfContainerd() {
        List<List<String>> shapes = new ArrayList<>();
        for (String metadata : List.of(
                old("web-0", UID),
                "name:\"web-0\" uid:\"" + UID + "\" namespace:\"default\"",
                "name:\"web-0\"  uid:\"" + UID + "\"  namespace:\"default\"  attempt:1")) {
            List<String> lines = life(metadata);
            shapes.add(lines);
            shapes.add(lines.stream()
                    .map(line -> "Nov 27 10:00:07 node-1 containerd[2707]: " + line)
                    .toList());
            shapes.add(lines.stream()
                    .map(line -> "2026-11-27T10:00:07+0000 node-1 containerd[2707]: " + line)
                    .toList());
            shapes.add(lines.stream().map(LogImportTest::json).toList());
            shapes.add(lines.stream()
                    .map(line -> "Nov 27 10:00:07 node-1 containerd[2707]: " + json(line))
                    .toList());
            shapes.add(lines.stream()
                    .map(line ->
                            "{\"__REALTIME_TIMESTAMP\":\"1\",\"_SYSTEMD_UNIT\":\"containerd.service\",\"MESSAGE\":\""
                                    + line.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}")
                    .toList());
            shapes.add(lines.stream()
                    .map(line -> "{\"MESSAGE\":" + bytes(line) + ",\"PRIORITY\":\"6\"}")
                    .toList());
        }
        return shapes;
    }

    private static String bytes(String text) {
        List<String> numbers = new ArrayList<>();
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            numbers.add(Integer.toString(one));
        }
        return "[" + String.join(",", numbers) + "]";
    }

    @ParameterizedTest
    @MethodSource("shapesOfContainerd")
    void aPodOfContainerdsLogComesWithItsAddAndLivesFromTheAnswerToTheDel(List<String> lines) throws Exception {
        Imported imported = read(file("node.log", lines.toArray(String[]::new)));
        assertThat(only(imported).sandboxes()).containsExactly(WEB);
        assertThat(only(imported).length()).isEqualTo(Duration.ofMillis(20_010));
        assertThat(only(imported).origin()).isEqualTo("imported: containerd");
        assertThat(imported.problems()).isEmpty();
    }

    @Test
    void anAddThatFailedIsTriedAgainAndIsOnePod() throws Exception {
        String metadata = old("web-0", UID);
        Imported imported = read(file(
                "node.log",
                info(0, 0, "x"),
                info(1, 0, "RunPodSandbox for " + metadata),
                containerd(
                        time(2, 0),
                        "error",
                        "RunPodSandbox for " + metadata + " failed, error",
                        " error=\"rpc error: code = Unknown desc = failed to setup network for sandbox \\\"a\\\": no address\""),
                info(15, 0, "RunPodSandbox for " + metadata),
                info(16, 0, "RunPodSandbox for " + metadata + " returns sandbox id \"" + SANDBOX + "\""),
                info(26, 0, "TearDown network for sandbox \"" + SANDBOX + "\" successfully"),
                info(27, 0, "RunPodSandbox for " + old("never", "u2")),
                containerd(
                        time(29, 0),
                        "error",
                        "RunPodSandbox for " + old("never", "u2") + " failed, error",
                        " error=\"x\"")));
        assertThat(only(imported).sandboxes()).containsExactly(WEB, sandbox(27_000, "default/never", 2000));
        assertThat(imported.problems())
                .containsExactly("1 pods that never got a sandbox; they end with the last that was seen of them"
                        + " (first: 27 s after the first line)");
    }

    @Test
    void aPodThatIsStillThereHasNoEndAndOneThatWasThereBeforeIsLeftOut() throws Exception {
        String metadata = old("web-0", UID);
        Imported imported = read(file(
                "node.log",
                info(0, 0, "StopPodSandbox for \"0123\""),
                info(0, 5, "StopPodSandbox for \"0123\" returns successfully"),
                info(1, 0, "RunPodSandbox for " + metadata + " returns sandbox id \"" + SANDBOX + "\""),
                info(2, 0, "RunPodSandbox for " + old("late", "u2"))));
        assertThat(only(imported).sandboxes())
                .containsExactly(
                        new Sandbox(Duration.ofSeconds(1), "default/web-0", Optional.empty(), ""),
                        new Sandbox(Duration.ofSeconds(2), "default/late", Optional.empty(), ""));
        assertThat(imported.problems())
                .containsExactly(
                        "1 sandboxes and pods that were there before the files begin, left out (first: 0 s after"
                                + " the first line)");
    }

    @Test
    void rotatedFilesInAnyOrderOfWhichSomeArePackedAreOneLog() throws Exception {
        List<String> lines = life(old("web-0", UID));
        Path first = scratch.resolve("containerd.log.1.gz");
        Files.write(first, packed(String.join("\n", lines.subList(0, 3)) + "\n"));
        Path second = file("containerd.log", lines.subList(3, lines.size()).toArray(String[]::new));
        for (List<Path> order : List.of(List.of(first, second), List.of(second, first))) {
            Imported imported = read(order.toArray(Path[]::new));
            assertThat(only(imported).sandboxes()).containsExactly(WEB);
            assertThat(imported.problems()).isEmpty();
        }
    }

    private static byte[] packed(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @Test
    void linesInAnyOrderGiveTheSameTrace() throws Exception {
        List<String> lines = new ArrayList<>(life(old("web-0", UID)));
        Collections.reverse(lines);
        Imported imported = read(file("node.log", lines.toArray(String[]::new)));
        assertThat(only(imported).sandboxes()).containsExactly(WEB);
        assertThat(imported.problems())
                .containsExactly(
                        "7 lines or events that come after later ones; they were sorted (first: node.log, line 2)");
    }

    private static String klog(String time, String place, String text) {
        return "I" + time + "    2955 " + place + "] " + text;
    }

    private static List<String> kubelet(String day, String hour, boolean old) {
        String event =
                old ? "&{ID:" + UID + " Type:%s Data:%s}" : "{\"ID\":\"" + UID + "\",\"Type\":\"%s\",\"Data\":\"%s\"}";
        String pods = old ? "pods=[default/web-0]" : "pods=[\"default/other\",\"default/web-0\"]";
        String pleg = "\"SyncLoop (PLEG): event for pod\" pod=\"default/web-0\" event=" + event;
        String at = day + " " + hour + ":00:";
        return List.of(
                klog(at + "00.000000", "kubelet.go:2102", "\"Starting\""),
                klog(at + "00.900000", "kubelet.go:2407", "\"SyncLoop ADD\" source=\"api\" " + pods),
                klog(
                        at + "01.000000",
                        "util.go:30",
                        "\"No sandbox for pod can be found. Need to start a new one\" pod=\"default/web-0\""),
                klog(at + "01.250000", "kubelet.go:2439", String.format(pleg, "ContainerStarted", SANDBOX)),
                klog(at + "02.000000", "kubelet.go:2439", String.format(pleg, "ContainerStarted", "aa01")),
                klog(at + "05.000000", "kubelet.go:2439", String.format(pleg, "ContainerDied", "aa01")),
                klog(at + "06.000000", "kubelet.go:2439", String.format(pleg, "ContainerStarted", "aa02")),
                klog(at + "10.500000", "kubelet.go:2439", String.format(pleg, "ContainerDied", "aa02")),
                klog(
                        at + "11.000000",
                        "util.go:48",
                        "\"No ready sandbox for pod can be found. Need to start a new one\" pod=\"default/web-0\""),
                klog(at + "11.250000", "kubelet.go:2439", String.format(pleg, "ContainerDied", SANDBOX)),
                klog(at + "20.000000", "kubelet.go:2417", "\"SyncLoop DELETE\" source=\"api\" " + pods),
                klog(
                        at + "20.010000",
                        "kubelet.go:2417",
                        "\"SyncLoop REMOVE\" source=\"api\" pods=[\"default/web-0\"]"));
    }

    static List<List<String>> shapesOfTheKubelet() {
        List<String> lines = kubelet("1127", "10", false);
        return List.of(
                lines,
                kubelet("1127", "10", true),
                lines.stream()
                        .map(line -> "Nov 27 10:00:07 node-1 kubelet[2955]: " + line)
                        .toList(),
                lines.stream()
                        .map(line -> "Nov 27 10:00:07.123456 node-1 kubenswrapper[2955]: " + line)
                        .toList(),
                lines.stream()
                        .map(line ->
                                "{\"MESSAGE\":\"" + line.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}")
                        .toList(),
                jsonOfTheKubelet());
    }

    private static List<String> jsonOfTheKubelet() {
        long begin = 1_795_773_600_000L;
        String pod = "\"pod\":{\"name\":\"web-0\",\"namespace\":\"default\"}";
        return List.of(
                said(begin, "Starting", "\"x\":1"),
                said(begin + 1000, "No sandbox for pod can be found. Need to start a new one", pod),
                said(begin + 1250, "SyncLoop (PLEG): event for pod", pod + event("ContainerStarted")),
                said(begin + 11_250, "SyncLoop (PLEG): event for pod", pod + event("ContainerDied")),
                "Jun 18 19:42:16 ip-1 kubelet[5656]: "
                        + said(
                                begin + 20_010,
                                "SyncLoop REMOVE",
                                "\"source\":\"api\",\"pods\":[{\"name\":\"web-0\",\"namespace\":\"default\"}]"));
    }

    private static String said(long at, String message, String more) {
        return "{\"ts\":" + at + ".2942,\"caller\":\"kubelet/kubelet.go:2102\",\"msg\":\"" + message + "\",\"v\":2,"
                + more + "}";
    }

    private static String event(String type) {
        return ",\"event\":{\"ID\":\"" + UID + "\",\"Type\":\"" + type + "\",\"Data\":\"" + SANDBOX + "\"}";
    }

    @ParameterizedTest
    @MethodSource("shapesOfTheKubelet")
    void aPodOfTheKubeletsLogLivesFromItsFirstContainerToItsLast(List<String> lines) throws Exception {
        Imported imported = read(file("kubelet.log", lines.toArray(String[]::new)));
        assertThat(only(imported).sandboxes()).containsExactly(WEB);
        assertThat(only(imported).length()).isEqualTo(Duration.ofMillis(20_010));
        assertThat(imported.problems()).isEmpty();
    }

    @Test
    void aPodOfAStatefulSetComesAgainUnderItsName() throws Exception {
        List<String> lines = new ArrayList<>(kubelet("1127", "10", false));
        lines.addAll(kubelet("1127", "11", false));
        Trace trace = only(read(file("kubelet.log", lines.toArray(String[]::new))));
        assertThat(trace.sandboxes()).containsExactly(WEB, sandbox(3_601_000, "default/web-0", 10_000));
    }

    @Test
    void aLogGoesOverTheEndOfTheYear() throws Exception {
        List<String> lines = new ArrayList<>(kubelet("1231", "23", false));
        lines.addAll(kubelet("0101", "00", false));
        Trace trace = only(read(file("kubelet.log", lines.toArray(String[]::new))));
        assertThat(trace.sandboxes()).containsExactly(WEB, sandbox(3_601_000, "default/web-0", 10_000));
    }

    @Test
    void ofBothLogsContainerdsDecides() throws Exception {
        List<String> lines = new ArrayList<>(life(old("web-0", UID)));
        lines.addAll(kubelet("1127", "10", false));
        Imported imported = read(file("journal.log", lines.toArray(String[]::new)));
        assertThat(only(imported).sandboxes()).containsExactly(WEB);
        assertThat(imported.problems())
                .singleElement()
                .asString()
                .startsWith("8 lines of the kubelet on pods, left out since");
    }

    private static String event(String reason, String kind, String name, String uid, String message, String times) {
        return "{\"apiVersion\":\"v1\",\"involvedObject\":{\"apiVersion\":\"v1\",\"kind\":\"" + kind + "\",\"name\":\""
                + name
                + "\",\"namespace\":\"default\",\"uid\":\"" + uid + "\"},\"kind\":\"Event\",\"message\":\"" + message
                + "\",\"metadata\":{\"name\":\"x\",\"namespace\":\"default\"},\"reason\":\"" + reason + "\"," + times
                + "}";
    }

    private static String first(int second) {
        return String.format(
                "\"count\":1,\"eventTime\":null,\"firstTimestamp\":\"2026-11-27T10:00:%02dZ\","
                        + "\"lastTimestamp\":\"2026-11-27T10:59:00Z\"",
                second);
    }

    private static String exact(int second) {
        return String.format(
                "\"eventTime\":\"2026-11-27T10:00:%02d.500000Z\",\"firstTimestamp\":null," + "\"lastTimestamp\":null",
                second);
    }

    /** Two nodes; one pod ends, one restarts, one is of a Job that completed, one was there before. */
    private static List<String> events() {
        return List.of(
                event("Killing", "Pod", "web-0", "u1", "Stopping container web", first(40)),
                event("Started", "Pod", "web-0", "u1", "Started container web", first(12)),
                event("Pulled", "Pod", "web-0", "u1", "Container image already present", first(11)),
                event("Scheduled", "Pod", "web-0", "u1", "Successfully assigned default/web-0 to node-a", exact(10)),
                event(
                        "SuccessfulCreate",
                        "StatefulSet",
                        "web",
                        "s1",
                        "create Pod web-0 in StatefulSet web successful",
                        first(9)),
                event("Scheduled", "Pod", "app-1", "u2", "Successfully assigned default/app-1 to node-b", exact(20)),
                event(
                        "Killing",
                        "Pod",
                        "app-1",
                        "u2",
                        "Container app failed liveness probe, will be restarted",
                        first(30)),
                event(
                        "Scheduled",
                        "Pod",
                        "job-1-x",
                        "u3",
                        "Successfully assigned default/job-1-x to node-b",
                        first(25)),
                event("Created", "Pod", "job-1-x", "u3", "Created container: job", first(26)),
                event("SuccessfulCreate", "Job", "job-1", "j1", "Created pod: job-1-x", first(24)),
                event("Completed", "Job", "job-1", "j1", "Job completed", first(36)),
                event("Started", "Pod", "old", "u4", "Started container old", first(10)),
                event("FailedScheduling", "Pod", "wide", "u5", "0/3 nodes are available", first(10)));
    }

    private static final List<Sandbox> ON_A = List.of(
            new Sandbox(Duration.ofMillis(500), "default/web-0", Optional.of(Duration.ofSeconds(29)), "StatefulSet"));
    private static final List<Sandbox> ON_B = List.of(
            new Sandbox(Duration.ofMillis(10_500), "default/app-1", Optional.empty(), ""),
            new Sandbox(Duration.ofSeconds(15), "default/job-1-x", Optional.of(Duration.ofSeconds(10)), "Job"));

    static List<String> shapesOfEvents() {
        String items = String.join(",\n        ", events());
        return List.of(
                "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        " + items
                        + "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\"resourceVersion\": \"\"}\n}\n",
                "{\"kind\":\"EventList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[" + items + "]}",
                "[\n  " + items + "]",
                String.join("\n", events()) + "\n",
                String.join("\n", events())
                        .replace("\"involvedObject\"", "\"regarding\"")
                        .replace("\"message\"", "\"note\"")
                        .replace("\"firstTimestamp\"", "\"deprecatedFirstTimestamp\""));
    }

    @ParameterizedTest
    @MethodSource("shapesOfEvents")
    void eventsOfAClusterAreATraceForEachNodeWithOwners(String text) throws Exception {
        Imported imported = read(file("events.json", text));
        assertThat(imported.traces()).extracting(Trace::sandboxes).containsExactly(ON_A, ON_B);
        assertThat(imported.traces().get(0).origin()).isEqualTo("imported: events node-a node-b");
        assertThat(imported.problems())
                .containsExactly(
                        "2 sandboxes and pods that were there before the files begin, left out (first: a pod that"
                                + " is not among the scheduled ones)");
    }

    @Test
    void oneNodeOfTheEventsIsChosenByName() throws Exception {
        Path events = file("events.json", events().toArray(String[]::new));
        Imported one = LogImport.read(List.of(events), true, Optional.of("node-b"));
        assertThat(only(one).sandboxes()).isEqualTo(ON_B);
        assertThat(one.problems()).anyMatch(line -> line.startsWith("1 pods of other nodes than the one asked for"));
        assertThatThrownBy(() -> LogImport.read(List.of(events), true, Optional.of("node-c")))
                .hasMessage("no pod came to node node-c; there are node-a, node-b");
        Path log = file("node.log", life(old("web-0", UID)).toArray(String[]::new));
        assertThatThrownBy(() -> LogImport.read(List.of(log), true, Optional.of("node-a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a log is of one node");
    }

    @Test
    void besideLogsEventsSayWhoOwnsAPod() throws Exception {
        Path log = file("node.log", life(old("web-0", UID)).toArray(String[]::new));
        Imported imported = read(log, file("events.json", events().toArray(String[]::new)));
        assertThat(only(imported).sandboxes())
                .containsExactly(new Sandbox(WEB.at(), WEB.pod(), WEB.lives(), "StatefulSet"));
        assertThat(imported.problems()).singleElement().asString().startsWith("5 events of pods, left out");
    }

    /** The hashes are those of {@code lab record}, whose test has the same. */
    @Test
    void namesAreHashesUnlessTheyAreAskedFor() throws Exception {
        Path log = file("node.log", life(old("web-0", UID)).toArray(String[]::new));
        Imported imported = LogImport.read(List.of(log), false, Optional.empty());
        assertThat(only(imported).sandboxes().get(0).pod()).isEqualTo("n-37a8eec1ce19/p-53842afe623a");
        Imported events =
                LogImport.read(List.of(file("events.json", events().toArray(String[]::new))), false, Optional.empty());
        StringWriter written = new StringWriter();
        TraceFile.write(events.traces(), written);
        assertThat(written.toString()).doesNotContain("node-", "web", "job-1", "default");
    }

    @Test
    void whatIsImportedIsReadAsATrace() throws Exception {
        Imported imported = read(file("events.json", events().toArray(String[]::new)));
        StringWriter written = new StringWriter();
        TraceFile.write(imported.traces(), written);
        assertThat(TraceFile.readAll(file("day.jsonl", written.toString()))).isEqualTo(imported.traces());
    }

    @Test
    void linesThatCannotBeUsedAreCountedByKindWithTheFirstPlace() throws Exception {
        List<String> lines = new ArrayList<>(life(old("web-0", UID)));
        lines.addAll(
                3,
                List.of(
                        "x".repeat(200_000),
                        "{\"level\":\"info\",\"msg\":\"RunPodSandbox",
                        "systemd[1]: Started libcontainer container.",
                        "-- Boot 0123456789abcdef --",
                        containerd("yesterday", "info", "StopPodSandbox for \"a\"", ""),
                        containerd("-999999999-01-01T00:00:00Z", "info", "x", ""),
                        info(2, 0, "RunPodSandbox for " + old("Not_A_Name", "u")),
                        klog("1399 10:00:00.000000", "kubelet.go:1", "\"x\""),
                        said(1_732_701_600, "of another program, in seconds", "\"x\":1"),
                        "{\"a\":1}",
                        "time=\"",
                        ""));
        Imported imported = read(file("node.log", lines.toArray(String[]::new)));
        assertThat(only(imported).sandboxes()).containsExactly(WEB);
        assertThat(imported.problems())
                .containsExactly(
                        "1 lines of more than 65536 bytes, left out (first: node.log, line 4)",
                        "1 places where JSON is broken or cut off; of a file of events, all after that is left out"
                                + " (first: node.log, line 5)",
                        "3 lines that are neither containerd's nor the kubelet's, left out (first: node.log, line 6)",
                        "5 lines or events without a time that can be read, left out (first: node.log, line 8)",
                        "1 lines or events of a pod whose name Kubernetes does not allow, left out (first: node.log,"
                                + " line 10)");
    }

    @Test
    void aFileThatIsCutOffIsUsedAsFarAsItGoes() throws Exception {
        byte[] whole = packed(String.join("\n", life(old("web-0", UID))) + "\n" + noise(200_000));
        Path log = Files.write(scratch.resolve("node.log.gz"), java.util.Arrays.copyOf(whole, whole.length - 1000));
        Imported imported = read(log);
        assertThat(only(imported).sandboxes()).containsExactly(WEB);
        assertThat(imported.problems())
                .anyMatch(line -> line.startsWith("1 files that end in the middle, or whose gzip is broken"));

        String events = "{\"apiVersion\":\"v1\",\"items\":[\n" + String.join(",\n", events());
        assertThat(read(file("cut.json", events.substring(0, events.length() - 50)))
                        .problems())
                .contains("1 places where JSON is broken or cut off; of a file of events, all after that is left out"
                        + " (first: cut.json, line 14)");
    }

    private static String noise(int length) {
        SplittableRandom random = new SplittableRandom(1);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (' ' + random.nextInt(90))).append(i % 80 == 79 ? "\n" : "");
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n\n",
                "{",
                "[]",
                "{\"items\":[]}",
                "{\"items\":{}}",
                "hello\n",
                "{\"items\":[7,[8],\"x\",null]}"
            })
    void filesWithoutAPodAreRefusedInOneLineThatSaysWhatIsWanted(String text) throws IOException {
        Path file = file("x", text);
        assertThatThrownBy(() -> read(file))
                .isInstanceOf(TraceException.class)
                .hasMessageStartingWith(
                        "no pod comes in these files, which may be logs of containerd or of the kubelet")
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> read(scratch.resolve("none"))).hasMessageStartingWith("there is no file ");
        assertThatThrownBy(() -> read(scratch)).hasMessageContaining(" cannot be read: ");
    }

    @Test
    void moreThanAMonthIsRefusedWithItsTimes() throws IOException {
        List<String> lines = new ArrayList<>(life(old("web-0", UID)));
        lines.add(containerd("2027-01-27T10:00:00Z", "info", "x", ""));
        Path file = file("node.log", lines.toArray(String[]::new));
        assertThatThrownBy(() -> read(file))
                .hasMessage(
                        "the files are of 61 days, from 2026-11-27T10:00:00Z to 2027-01-27T10:00:00Z, and a trace has up"
                                + " to 31; leave some out");
    }

    /** Whatever bytes of good files are changed, the import ends with a trace that can be read, or with a message. */
    @Test
    void filesWithRandomDamageAreReadOrRefused() throws IOException {
        List<byte[]> good = List.of(
                String.join("\n", life(old("web-0", UID))).getBytes(StandardCharsets.UTF_8),
                String.join("\n", jsonOfTheKubelet()).getBytes(StandardCharsets.UTF_8),
                String.join("\n", kubelet("1127", "10", false)).getBytes(StandardCharsets.UTF_8),
                shapesOfEvents().get(0).getBytes(StandardCharsets.UTF_8),
                packed(shapesOfEvents().get(1)));
        SplittableRandom random = new SplittableRandom(Long.getLong("enipam.seed", 1));
        int read = 0;
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = good.get(i % good.size()).clone();
            for (int changes = 1 + random.nextInt(5); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte)
                        (random.nextBoolean() ? random.nextInt(256) : " {}[]\":,\\\n0".charAt(random.nextInt(11)));
            }
            int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length;
            Path file = Files.write(scratch.resolve("damaged"), java.util.Arrays.copyOf(bytes, length));
            try {
                StringWriter written = new StringWriter();
                List<Trace> traces = read(file).traces();
                TraceFile.write(traces, written);
                assertThat(TraceFile.readAll(file("back.jsonl", written.toString())))
                        .isEqualTo(traces);
                read++;
            } catch (TraceException refused) {
                assertThat(refused.getMessage()).isNotBlank().doesNotContain("\n");
            }
        }
        assertThat(read).as("of 2000").isGreaterThan(500);
    }
}
