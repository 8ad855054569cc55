package io.enipam.diagnostics.doctor;

import io.enipam.diagnostics.doctor.FileRights.Modes;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.model.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The daemon itself: its process, its files, its starts and its events. */
public final class ProcessChecks {
    private static final int MEMORY_PERCENT = 85;

    private ProcessChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "deadlocked",
                        "Threads of the daemon wait for each other for ever",
                        Severity.CRITICAL,
                        "The threads of the process. CRITICAL for any two that wait for each other.",
                        "What they were doing never ends; more and more waits for it.",
                        "jcmd $(pidof java) Thread.print > threads.txt; restart the daemon; report it",
                        ProcessChecks::deadlocked),
                new Check(
                        "events-short",
                        "The ring of events reaches back only a little",
                        Severity.INFO,
                        "The events that are kept. INFO if the ring is full and its oldest event is younger than an"
                                + " hour.",
                        "What happened before is gone: the story of a failure may be in the log alone.",
                        "events | wc; events tells what there is so much of; the daemon's log has all of them",
                        ProcessChecks::eventsShort),
                new Check(
                                "file-rights",
                                "The rights of the daemon's files are wrong",
                                Severity.CRITICAL,
                                "The socket (0660 at most), the directory of the database (only the owner writes),"
                                        + " the audit log (0600). CRITICAL if others may do more, WARN if the owner"
                                        + " may do less than it has to.",
                                "A client of the socket may take addresses away from pods; a writer of the database may give them to any pod.",
                                "ls -l on the paths; doctor --repair file-rights",
                                ProcessChecks::fileRights)
                        .mendedBy(Repair.MODES),
                new Check(
                        "descriptors-low",
                        "The daemon has hardly any file descriptor left",
                        Severity.CRITICAL,
                        "Open files of the process against its limit. WARN from 80 percent on, CRITICAL from 95.",
                        "Without descriptors it accepts no connection and writes no file.",
                        "ls -l /proc/$(pidof enipamd)/fd; raise LimitNOFILE",
                        ProcessChecks::filesNearlyUsedUp),
                new Check(
                        "memory-low",
                        "The daemon has hardly any memory left",
                        Severity.CRITICAL,
                        "What the last garbage collections of the JVM left of the heap, and the memory of the control"
                                + " group. WARN from 85 percent on, CRITICAL from 95.",
                        "A full heap makes everything slow, a full control group has the process killed.",
                        "raise the memory limit of the daemon; support-bundle, if it grows without end",
                        ProcessChecks::memoryLow),
                new Check(
                        "not-serving",
                        "The daemon does not serve",
                        Severity.CRITICAL,
                        "The phase of the engine. WARN while it recovers for more than 30 s, CRITICAL after five"
                                + " minutes, or if it will not serve before an operator repairs something.",
                        "ADD is answered with \"try again\" until it serves: no pod starts.",
                        "status says which step it waits for, and what to do",
                        ProcessChecks::notServing),
                new Check(
                        "restart-storm",
                        "The daemon is started again and again",
                        Severity.CRITICAL,
                        "The times of the last 50 starts. WARN for three or more within ten minutes, CRITICAL for six.",
                        "Something ends it: a probe that is too strict, memory, a crash. Each start keeps pods"
                                + " waiting.",
                        "kubectl describe pod of the daemon, or journalctl -u enipamd; loosen the liveness probe if"
                                + " it is that",
                        ProcessChecks::restartStorm),
                new Check(
                        "version-skew",
                        "Shell and daemon are of different versions",
                        Severity.INFO,
                        "The version of who asks, and that of the daemon. INFO if they differ.",
                        "Commands of one may be unknown to the other; after an upgrade it tells that the daemon was"
                                + " not restarted.",
                        "version; restart the daemon after an upgrade",
                        ProcessChecks::versionSkew));
    }

    private static Outcome deadlocked(Facts facts) {
        List<String> names = facts.the(ProcessState.class).deadlocked();
        return names.isEmpty()
                ? Outcome.ok("no thread waits for ever")
                : Outcome.of(
                        Severity.CRITICAL,
                        Figures.count(names.size(), "thread") + " wait for each other for ever",
                        names.stream()
                                .map(name -> new Evidence(name, "waits for ever", "host"))
                                .toList());
    }

    private static Outcome eventsShort(Facts facts) {
        KeptEvents events = facts.the(KeptEvents.class);
        if (events.kept().size() < events.room()) {
            return Outcome.ok(Figures.count(events.kept().size(), "event") + " kept, none was dropped");
        }
        Duration reach = Duration.between(events.kept().get(0).at(), facts.now());
        if (reach.compareTo(Duration.ofHours(1)) >= 0) {
            return Outcome.ok("they reach back " + Figures.span(reach));
        }
        Map<String, Long> byType =
                events.kept().stream().collect(Collectors.groupingBy(Event::type, Collectors.counting()));
        String most = byType.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(type -> type.getValue() + " of them are " + type.getKey())
                .orElse("");
        return Outcome.of(
                Severity.INFO,
                "the last " + events.room() + " events reach back " + Figures.span(reach),
                new Evidence("events", most, "daemon"));
    }

    private static Outcome fileRights(Facts facts) {
        List<Evidence> evidence = new ArrayList<>();
        boolean open = false;
        for (Modes.Mode mode : facts.the(Modes.class).modes()) {
            open |= !mode.tooMany().isEmpty();
            if (!mode.tooMany().isEmpty() || !mode.tooFew().isEmpty()) {
                evidence.add(new Evidence(mode.path(), "the " + mode.what() + " has " + mode.shown(), "host"));
            }
        }
        return Outcome.unless(
                evidence,
                open ? Severity.CRITICAL : Severity.WARN,
                "the rights of " + Figures.count(evidence.size(), "file") + " are wrong",
                "no right is more than needed");
    }

    private static Outcome filesNearlyUsedUp(Facts facts) {
        ProcessState process = facts.the(ProcessState.class);
        int used = Figures.percent(process.files(), process.mostFiles());
        String figures = process.files() + " of " + process.mostFiles() + " file descriptors are open";
        return used < 80
                ? Outcome.ok(figures)
                : Outcome.of(
                        used < 95 ? Severity.WARN : Severity.CRITICAL,
                        figures,
                        new Evidence("daemon", figures, "host"));
    }

    private static Outcome memoryLow(Facts facts) {
        ProcessState process = facts.the(ProcessState.class);
        int heap = Figures.percent(process.heapKept(), process.heapMost());
        int group = process.cgroup()
                .map(limit -> Figures.percent(limit.used(), limit.limit()))
                .orElse(0);
        List<Evidence> evidence = new ArrayList<>();
        if (heap >= MEMORY_PERCENT) {
            evidence.add(new Evidence(
                    "heap",
                    Figures.bytes(process.heapKept()) + " of " + Figures.bytes(process.heapMost()) + " stay used",
                    "host"));
        }
        if (group >= MEMORY_PERCENT) {
            evidence.add(new Evidence(
                    "control group",
                    group + "% of "
                            + Figures.bytes(process.cgroup().orElseThrow().limit()),
                    "host"));
        }
        return Outcome.unless(
                evidence,
                Math.max(heap, group) < 95 ? Severity.WARN : Severity.CRITICAL,
                "memory is nearly used up",
                heap + "% of the heap stay used");
    }

    private static Outcome notServing(Facts facts) {
        EngineStatus status = facts.the(EngineState.class).status();
        Duration inPhase = Duration.between(status.phaseSince(), facts.now());
        if (status.trouble().isPresent()) {
            return Outcome.of(
                    Severity.CRITICAL,
                    status.trouble().get(),
                    new Evidence("engine", status.phase() + " " + status.detail(), "engine", status.phaseSince()));
        }
        if (status.phase() == EngineStatus.Phase.READY) {
            return Outcome.ok("it has served for " + Figures.span(inPhase));
        }
        String words = "it is " + status.phase() + " for " + Figures.span(inPhase)
                + (status.detail().isEmpty() ? "" : ": " + status.detail());
        if (inPhase.compareTo(Duration.ofSeconds(30)) < 0) {
            return Outcome.of(Severity.INFO, words);
        }
        return Outcome.of(
                inPhase.compareTo(Duration.ofMinutes(5)) < 0 ? Severity.WARN : Severity.CRITICAL,
                words,
                new Evidence("engine", String.valueOf(status.phase()), "engine", status.phaseSince()));
    }

    private static Outcome restartStorm(Facts facts) {
        Instant since = facts.now().minus(Duration.ofMinutes(10));
        List<Instant> recent = facts.the(Starts.class).starts().stream()
                .filter(start -> start.isAfter(since))
                .toList();
        if (recent.size() < 3) {
            return Outcome.ok(Figures.count(recent.size(), "start") + " within ten minutes");
        }
        return Outcome.of(
                recent.size() < 6 ? Severity.WARN : Severity.CRITICAL,
                recent.size() + " starts within ten minutes",
                recent.stream()
                        .map(start -> new Evidence("daemon", "started", "host", start))
                        .toList());
    }

    private static Outcome versionSkew(Facts facts) {
        Versions versions = facts.the(Versions.class);
        if (versions.client().isEmpty()) {
            return Outcome.skipped("who asks does not say its version");
        }
        return versions.client().equals(versions.daemon())
                ? Outcome.ok("both are " + versions.daemon())
                : Outcome.of(
                        Severity.INFO,
                        "the shell is " + versions.client() + ", the daemon " + versions.daemon(),
                        new Evidence("daemon", versions.daemon(), "daemon"));
    }

    /**
     * The events that are kept, oldest first.
     *
     * @param room how many can be kept
     */
    public record KeptEvents(List<Event> kept, int room) {
        public KeptEvents {
            kept = List.copyOf(kept);
        }
    }

    /**
     * Who talks with whom.
     *
     * @param daemon this program's version
     * @param client the client's version; empty text if the client does not give it
     */
    public record Versions(String daemon, String client) {}
}
