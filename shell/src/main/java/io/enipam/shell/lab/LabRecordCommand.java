package io.enipam.shell.lab;

import com.google.gson.JsonObject;
import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import io.enipam.shell.core.AtomicOutputFile;
import io.enipam.shell.core.Completes;
import io.enipam.shell.core.CompletionKind;
import io.enipam.shell.core.ConfirmationOption;
import io.enipam.shell.core.DaemonCommand;
import io.enipam.shell.core.Digest;
import io.enipam.shell.core.DurationParser;
import io.enipam.shell.core.DurationParser.DurationConverter;
import io.enipam.shell.core.ListReply;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.TimeFormat;
import io.enipam.v1.GetLeaseHistoryRequest;
import io.enipam.v1.LeaseRecord;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A trace of this node's own pods, from the history of leases. A lease that began in the time asked for is a sandbox of the trace; those
 * that stood before are not in it. The history does not hold how long an ADD waited, nor who owns a pod.
 */
@Command(name = "record", description = "Make a trace of the pods that this node had.")
public final class LabRecordCommand extends DaemonCommand {
    /** The most leases that the daemon gives in one answer. */
    private static final int PART = 5000;
    /** No more leases begin in so short a time than it gives. */
    private static final Duration SHORTEST = Duration.ofMillis(2);

    private static final Duration LONGEST = Duration.ofDays(31);

    @Option(
            names = "--since",
            paramLabel = "SPAN",
            converter = Days.class,
            description = "From so long ago to now, such as 24h or 7d. By default 24h.")
    Duration since = Duration.ofHours(24);

    @Option(names = "--names", description = "With the names of pods; else there are hashes in their place.")
    boolean names;

    @Completes(CompletionKind.FILES)
    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A file that is made, or replaced with --yes.")
    @Nullable
    Path file;

    @Mixin
    ConfirmationOption consent = new ConfirmationOption();

    static final class Days extends DurationConverter {
        Days() {
            super(DurationParser.SHORTEST, LONGEST);
        }
    }

    @Override
    public boolean writesLocalFile() {
        return file != null;
    }

    /** {@code lease history} has the same leases. */
    @Override
    public List<String> inBundle() {
        return List.of();
    }

    @Override
    public void run() {
        Instant now = session.now();
        Instant from = now.minus(since);
        List<LeaseRecord> leases = waiting(() -> {
            Map<String, LeaseRecord> all = new TreeMap<>();
            ask(from, now, all);
            return all.values().stream()
                    .filter(lease -> !TimeFormat.instant(lease.getSince()).isBefore(from))
                    .filter(lease -> !lease.getEnd().getReason().equals("UNDONE"))
                    .sorted(Comparator.comparing(lease -> TimeFormat.instant(lease.getSince())))
                    .toList();
        });
        List<String> lines = new ArrayList<>();
        lines.add(head());
        leases.forEach(lease -> lines.add(line(lease, from)));
        Path to = file;
        if (to == null) {
            print(lines);
            return;
        }
        AtomicOutputFile.write(to, consent.yes, "--yes", () -> String.join("\n", lines) + "\n");
        Struct done = Struct.newBuilder()
                .putFields("path", Values.of(to.toString()))
                .putFields("pods", Values.of(Integer.toString(leases.size())))
                .build();
        show(
                done,
                (made, look) -> List.of(Palette.clean(
                        "wrote " + ListReply.text(made, "path") + ": " + ListReply.text(made, "pods") + " pods")),
                made -> List.of(ListReply.text(made, "path")));
    }

    /** All leases of a time, in answers of which each is whole. */
    private void ask(Instant from, Instant to, Map<String, LeaseRecord> all) {
        GetLeaseHistoryRequest request = GetLeaseHistoryRequest.newBuilder()
                .setFrom(TimeFormat.timestamp(from))
                .setTo(TimeFormat.timestamp(to))
                .build();
        List<LeaseRecord> part = session.daemon()
                .inspect(LIST, stub -> stub.getLeaseHistory(request))
                .getLeasesList();
        Duration half = Duration.between(from, to).dividedBy(2);
        if (part.size() >= PART && half.compareTo(SHORTEST) > 0) {
            ask(from, from.plus(half), all);
            ask(from.plus(half), to, all);
            return;
        }
        part.forEach(lease -> all.put(
                lease.getOwner().getContainer() + " " + lease.getOwner().getIfname() + " "
                        + TimeFormat.instant(lease.getSince()),
                lease));
    }

    private String head() {
        JsonObject head = new JsonObject();
        head.addProperty("format", "enipam-lab-trace");
        head.addProperty("version", 1);
        head.addProperty("lengthMs", since.toMillis());
        head.addProperty("origin", "recorded: the leases of the last " + since.toMinutes() + " min");
        return head.toString();
    }

    private String line(LeaseRecord lease, Instant from) {
        Instant began = TimeFormat.instant(lease.getSince());
        JsonObject line = new JsonObject();
        line.addProperty(
                "atMs", Math.min(since.toMillis(), Duration.between(from, began).toMillis()));
        line.addProperty("pod", names ? lease.getPod() : hashed(lease.getPod()));
        if (lease.hasEnd()) {
            line.addProperty(
                    "livesMs",
                    Math.max(
                            0,
                            Duration.between(
                                            began,
                                            TimeFormat.instant(lease.getEnd().getAt()))
                                    .toMillis()));
        }
        return line.toString();
    }

    /** The same for the same pod on every node; who does not know the name does not learn it, who guesses it can check. */
    private static String hashed(String pod) {
        int slash = pod.indexOf('/');
        return "n-" + hash(pod.substring(0, Math.max(0, slash))) + "/p-" + hash(pod);
    }

    private static String hash(String text) {
        return HexFormat.of().formatHex(Digest.sha256(text.getBytes(StandardCharsets.UTF_8)), 0, 6);
    }
}
