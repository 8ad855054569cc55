package io.enipam.lab.logs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.lab.trace.TraceFile.TraceException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lines of logs, as the programs write them or as {@code journalctl} prints them:
 *
 * <pre>
 * time="2026-11-27T10:00:00.123456789Z" level=info msg="..."                           containerd
 * {"level":"info","msg":"...","time":"2026-11-27T10:00:00.123456789Z"}                 containerd, log format json
 * I1127 10:00:00.123456    1234 kubelet.go:2407] "SyncLoop REMOVE" source="api" ...    kubelet
 * {"ts":1795773600123.4,"caller":"kubelet/kubelet.go:2407","msg":"SyncLoop REMOVE",...} kubelet, --logging-format=json
 * Nov 27 10:00:00 node-1 kubelet[1234]: ...                                            journalctl or syslog: one of these behind it
 * {"MESSAGE":"...","__REALTIME_TIMESTAMP":"...",...}                                   journalctl -o json: one of these in MESSAGE
 * </pre>
 *
 * The time is always that of the program's own line. That of klog has no year and no zone: it is read as UTC, and a January that follows a
 * December is of the next year.
 */
final class LogLines {
    private static final Pattern KLOG = Pattern.compile(
            "(?:^|\\s)[IWEF](\\d\\d)(\\d\\d) (\\d\\d):(\\d\\d):(\\d\\d)\\.(\\d{3})\\d*\\s+\\d+ [^\\s\\]]+:\\d+\\] ");
    private static final Pattern MESSAGE = Pattern.compile(" msg=\"((?:[^\"\\\\]|\\\\.)*+)\"");
    private static final String TIME = "time=\"";
    /** A leap year, for the 29th of February. */
    private static final int SOME_YEAR = 2024;

    private static final JsonMapper JSON = new JsonMapper();

    private final ContainerdCalls containerd;
    private final KubeletPods kubelet;
    private final Problem.Counts problems;
    private int year = SOME_YEAR;
    private int month;

    LogLines(ContainerdCalls containerd, KubeletPods kubelet, Problem.Counts problems) {
        this.containerd = containerd;
        this.kubelet = kubelet;
        this.problems = problems;
    }

    void take(String raw, String where) throws TraceException {
        String line = raw.strip();
        if (line.startsWith("{")) {
            json(line, where);
        } else if (!line.isEmpty()) {
            text(line, where);
        }
    }

    private void text(String line, String where) throws TraceException {
        int time = line.indexOf(TIME);
        if (time >= 0) {
            int end = line.indexOf('"', time + TIME.length());
            Matcher message = MESSAGE.matcher(line);
            boolean told = end > 0 && message.find(end);
            containerd(
                    end < 0 ? "" : line.substring(time + TIME.length(), end),
                    told ? unquoted(message.group(1)) : "",
                    where);
            return;
        }
        Matcher klog = KLOG.matcher(line);
        int json = line.indexOf(": {\"");
        if (klog.find()) {
            kubelet(klog, line.substring(klog.end()), where);
        } else if (json > 0) {
            json(line.substring(json + 2), where);
        } else {
            problems.add(Problem.OTHER_LINE, 1, where);
        }
    }

    /** What Go's %q made of it; other escapes than these are in no name and no id. */
    private static String unquoted(String text) {
        return text.replace("\\\"", "\"").replace("\\\\", "\\");
    }

    private void json(String text, String where) throws TraceException {
        JsonNode line;
        try {
            line = JSON.readTree(text);
        } catch (JsonProcessingException e) {
            problems.add(Problem.BROKEN_JSON, 1, where);
            return;
        }
        JsonNode said = line.path("msg");
        if (line.has("MESSAGE")) {
            take(journal(line.path("MESSAGE")), where);
        } else if (line.path("time").isTextual() && said.isTextual()) {
            containerd(line.path("time").asText(), said.asText(), where);
        } else if (line.path("ts").isNumber() && said.isTextual()) {
            kubelet(line, said.asText(), where);
        } else {
            problems.add(Problem.OTHER_LINE, 1, where);
        }
    }

    /** The journal has a message that is no UTF-8, or has control characters, as an array of bytes. */
    private static String journal(JsonNode message) {
        if (!message.isArray()) {
            return message.asText();
        }
        byte[] bytes = new byte[message.size()];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) message.path(i).asInt();
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private void containerd(String time, String message, String where) throws TraceException {
        OptionalLong at = Timeline.time(time);
        if (at.isEmpty()) {
            problems.add(Problem.NO_TIME, 1, where);
        } else {
            containerd.take(at.getAsLong(), message, where);
        }
    }

    private void kubelet(Matcher header, String text, String where) throws TraceException {
        long at;
        try {
            int now = number(header, 1);
            if (month == 12 && now == 1) {
                year++;
            } else if (month == 1 && now == 12) {
                year--;
            }
            month = now;
            at = LocalDateTime.of(year, now, number(header, 2), number(header, 3), number(header, 4), number(header, 5))
                            .toInstant(ZoneOffset.UTC)
                            .toEpochMilli()
                    + number(header, 6);
        } catch (DateTimeException e) {
            problems.add(Problem.NO_TIME, 1, where);
            return;
        }
        kubelet.take(at, text, where);
    }

    private static int number(Matcher header, int group) {
        return Integer.parseInt(header.group(group));
    }

    private void kubelet(JsonNode line, String message, String where) throws TraceException {
        OptionalLong time = Timeline.time(line.path("ts").asDouble());
        if (time.isEmpty()) {
            problems.add(Problem.NO_TIME, 1, where);
            return;
        }
        long at = time.getAsLong();
        kubelet.timeline().passes(at, where);
        JsonNode pod = line.path("pod");
        String namespace = pod.path("namespace").asText();
        String name = pod.path("name").asText();
        if (message.equals(KubeletPods.NEEDED)) {
            kubelet.needed(at, namespace, name, where);
        } else if (message.equals(KubeletPods.PLEG)) {
            JsonNode event = line.path("event");
            kubelet.pleg(
                    at,
                    namespace,
                    name,
                    event.path("Type").asText(),
                    event.path("Data").asText(),
                    where);
        } else if (message.equals(KubeletPods.REMOVED)) {
            for (JsonNode one : line.path("pods")) {
                kubelet.removed(
                        at, one.path("namespace").asText(), one.path("name").asText(), where);
            }
        }
    }
}
