package io.enipam.diagnostics.doctor;

import static io.enipam.diagnostics.doctor.Figures.bytes;
import static io.enipam.diagnostics.doctor.Figures.count;
import static io.enipam.diagnostics.doctor.Figures.percent;
import static io.enipam.diagnostics.doctor.Figures.span;
import static io.enipam.diagnostics.doctor.Outcome.Severity.CRITICAL;
import static io.enipam.diagnostics.doctor.Outcome.Severity.INFO;
import static io.enipam.diagnostics.doctor.Outcome.Severity.OK;
import static io.enipam.diagnostics.doctor.Outcome.Severity.WARN;
import static io.enipam.diagnostics.doctor.Outcome.each;
import static io.enipam.diagnostics.doctor.Outcome.filled;
import static io.enipam.diagnostics.doctor.Outcome.found;
import static io.enipam.diagnostics.doctor.Outcome.ok;
import static io.enipam.diagnostics.doctor.Outcome.skipped;
import static io.enipam.diagnostics.doctor.Outcome.unless;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.enipam.diagnostics.doctor.FileRights.Modes;
import io.enipam.diagnostics.doctor.HostProbes.DiskSpace;
import io.enipam.diagnostics.doctor.HostProbes.ProcessState;
import io.enipam.diagnostics.doctor.Outcome.Evidence;
import io.enipam.diagnostics.doctor.Outcome.Severity;
import io.enipam.diagnostics.doctor.PoolChecks.EngineState;
import io.enipam.diagnostics.doctor.StartLog.Starts;
import io.enipam.engine.EngineStatus;
import io.enipam.engine.model.Event;
import io.enipam.engine.port.LeaseHistory;
import io.enipam.store.Verification;
import io.enipam.store.history.RecordLog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The daemon itself: its process, its files and their disk, its database, its starts and its events. */
public final class ProcessChecks {
    private static final String LOOK_AT_HISTORY = "ls -l and df -h of the directory history beside the database; it is"
            + " written again by itself; what could not be read is there as *.damaged";
    private static final int MEMORY_PERCENT = 85;

    static final List<Check> ALL = List.of(
            Check.of("deadlocked", CRITICAL, "Threads of the daemon wait for each other for ever")
                    .reads("The threads of the process. CRITICAL for any two that wait for each other.")
                    .because("What they were doing never ends; more and more waits for it.")
                    .advice("jcmd $(pidof java) Thread.print > threads.txt; restart the daemon; report it")
                    .by(ProcessChecks::deadlocked),
            Check.of("events-short", INFO, "The ring of events reaches back only a little")
                    .reads("The events that are kept. INFO if the ring is full and its oldest event is younger than an"
                            + " hour.")
                    .because("What happened before is gone: the story of a failure may be in the log alone.")
                    .advice("events | wc; events tells what there is so much of; the daemon's log has all of them")
                    .by(ProcessChecks::eventsShort),
            Check.of("file-rights", CRITICAL, "The rights of the daemon's files are wrong")
                    .reads("The socket (0660 at most), the directory of the database (only the owner writes), the audit"
                            + " log (0600). CRITICAL if others may do more, WARN if the owner may do less than it has"
                            + " to.")
                    .because("A client of the socket may take addresses away from pods; a writer of the database may"
                            + " give them to any pod.")
                    .advice("ls -l on the paths; doctor --repair file-rights")
                    .repairedBy(Repair.MODES)
                    .by(ProcessChecks::fileRights),
            Check.of("descriptors-low", CRITICAL, "The daemon has hardly any file descriptor left")
                    .reads("Open files of the process against its limit. WARN from 80 percent on, CRITICAL from 95.")
                    .because("Without descriptors it accepts no connection and writes no file.")
                    .advice("ls -l /proc/$(pidof enipamd)/fd; raise LimitNOFILE")
                    .by(ProcessChecks::filesNearlyUsedUp),
            Check.of("memory-low", CRITICAL, "The daemon has hardly any memory left")
                    .reads("What the last garbage collections of the JVM left of the heap, and the memory of the"
                            + " control group. WARN from 85 percent on, CRITICAL from 95.")
                    .because("A full heap makes everything slow, a full control group has the process killed.")
                    .advice("raise the memory limit of the daemon; support-bundle, if it grows without end")
                    .by(ProcessChecks::memoryLow),
            Check.of("not-serving", CRITICAL, "The daemon does not serve")
                    .reads("The phase of the engine. WARN while it recovers for more than 30 s, CRITICAL after five"
                            + " minutes, or if it will not serve before an operator repairs something.")
                    .because("ADD is answered with \"try again\" until it serves: no pod starts.")
                    .advice("status says which step it waits for, and what to do")
                    .by(ProcessChecks::notServing),
            Check.of("restart-storm", CRITICAL, "The daemon is started again and again")
                    .reads("The times of the last 50 starts. WARN for three or more within ten minutes, CRITICAL for"
                            + " six.")
                    .because("Something ends it: a probe that is too strict, memory, a crash. Each start keeps pods"
                            + " waiting.")
                    .advice("kubectl describe pod of the daemon, or journalctl -u enipamd; loosen the liveness probe if"
                            + " it is that")
                    .by(ProcessChecks::restartStorm),
            Check.of("version-skew", INFO, "Shell and daemon are of different versions")
                    .reads("The version of who asks, and that of the daemon. INFO if they differ.")
                    .because("Commands of one may be unknown to the other; after an upgrade it tells that the daemon"
                            + " was not restarted.")
                    .advice("version; restart the daemon after an upgrade")
                    .by(ProcessChecks::versionSkew),
            Check.of("database-damaged", CRITICAL, "The database is damaged, or does not agree with the pool")
                    .reads("Every file and record of the database, as 'db verify' does, and whether database and pool"
                            + " say the same: what differs must differ in twenty looks over five seconds.")
                    .because("A damaged file is leases lost at the next restart; a difference is an address that may be"
                            + " lent twice.")
                    .advice("db verify; db backup FILE; then db compact writes the files anew from memory")
                    .by(ProcessChecks::databaseDamaged),
            Check.of("database-large", INFO, "The files of the database are larger than they need be")
                    .reads("The size of its files. INFO from 256 MiB on.")
                    .because("A start has to read them. A checkpoint makes the journal before it unnecessary.")
                    .advice("db compact")
                    .repairedBy(Repair.COMPACT)
                    .by(ProcessChecks::databaseLarge),
            Check.of("database-unwritable", CRITICAL, "The database cannot be written")
                    .reads("Whether commits work. CRITICAL if not.")
                    .because("No lease is given: a lease that is not on disk would be given twice after a restart. DEL"
                            + " goes on.")
                    .advice("df -h and df -i of the database; free some room, the database gets over it by itself")
                    .byTroubles("commits work"),
            Check.of("lease-history", WARN, "The history of leases has gaps, or cannot be written")
                    .reads("What the history of leases says of its files. WARN if it cannot write what ended, could not"
                            + " read a file, or misses leases of a time when it could not write.")
                    .because("'who' and 'lease history' do not know who had an address then. Pods are not affected.")
                    .advice(LOOK_AT_HISTORY)
                    .by(ProcessChecks::leaseHistory),
            Check.of("record-files", WARN, "Events, traces or samples have gaps, or cannot be written")
                    .reads(
                            "What events, traces and samples say of their files. WARN if one cannot be written, also for"
                                    + " want of room, could not be read, had a damaged end, or dropped records since the start.")
                    .because(
                            "'events --since', 'trace', 'pool history' and listings of the past miss what happened then."
                                    + " Pods are not affected.")
                    .advice(LOOK_AT_HISTORY)
                    .by(ProcessChecks::recordFiles),
            Check.of("disk-nearly-full", CRITICAL, "The disk of the database is nearly full")
                    .reads("Bytes and inodes of the file system of the database. WARN if less than 10 percent and less"
                            + " than 1 GiB is free, or less than 10 percent of the inodes; CRITICAL below 3 percent and"
                            + " 128 MiB, or 2 percent of the inodes.")
                    .because("When it is full no lease can be given.")
                    .advice("du -x on the file system; journalctl --vacuum-size=500M; remove old images and logs")
                    .by(ProcessChecks::diskNearlyFull));

    private ProcessChecks() {}

    private static Outcome deadlocked(Facts facts) {
        return each(
                facts.the(ProcessState.class).deadlocked().stream()
                        .map(name -> new Evidence(name, "waits for ever", "host")),
                CRITICAL,
                n -> count(n, "thread") + " wait for each other for ever",
                "no thread waits for ever");
    }

    private static Outcome eventsShort(Facts facts) {
        KeptEvents events = facts.the(KeptEvents.class);
        if (events.kept().size() < events.limit()) {
            return ok(count(events.kept().size(), "event") + " kept, none was dropped");
        }
        Duration reach = Duration.between(events.kept().get(0).at(), facts.now());
        if (reach.compareTo(Duration.ofHours(1)) >= 0) {
            return ok("they reach back " + span(reach));
        }
        String most = events.kept().stream().collect(groupingBy(Event::type, counting())).entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(type -> type.getValue() + " of them are " + type.getKey())
                .orElse("");
        return found(
                INFO,
                "the last " + events.limit() + " events reach back " + span(reach),
                new Evidence("events", most, "daemon"));
    }

    private static Outcome fileRights(Facts facts) {
        List<Modes.Mode> wrong = facts.the(Modes.class).modes().stream()
                .filter(Modes.Mode::wrong)
                .toList();
        boolean open = wrong.stream().anyMatch(Modes.Mode::tooMany);
        return each(
                wrong.stream()
                        .map(mode -> new Evidence(mode.path(), "the " + mode.what() + " has " + mode.shown(), "host")),
                open ? CRITICAL : WARN,
                n -> "the rights of " + count(n, "file") + " are wrong",
                "no right is more than needed");
    }

    private static Outcome filesNearlyUsedUp(Facts facts) {
        ProcessState process = facts.the(ProcessState.class);
        return filled(process.files(), process.mostFiles(), "file descriptors are open", "daemon", "host");
    }

    private static Outcome memoryLow(Facts facts) {
        ProcessState process = facts.the(ProcessState.class);
        int heap = percent(process.heapKept(), process.heapMost());
        List<Evidence> evidence = new ArrayList<>();
        if (heap >= MEMORY_PERCENT) {
            String seen = bytes(process.heapKept()) + " of " + bytes(process.heapMost()) + " stay used";
            evidence.add(new Evidence("heap", seen, "host"));
        }
        int group =
                process.cgroup().map(used -> percent(used.used(), used.limit())).orElse(0);
        process.cgroup()
                .filter(used -> group >= MEMORY_PERCENT)
                .map(used -> new Evidence("control group", group + "% of " + bytes(used.limit()), "host"))
                .ifPresent(evidence::add);
        return unless(
                evidence,
                Math.max(heap, group) < 95 ? WARN : CRITICAL,
                "memory is nearly used up",
                heap + "% of the heap stay used");
    }

    private static Outcome notServing(Facts facts) {
        EngineStatus status = facts.the(EngineState.class).status();
        Duration inPhase = Duration.between(status.phaseSince(), facts.now());
        if (status.trouble().isPresent()) {
            String seen = status.phase() + " " + status.detail();
            return found(CRITICAL, status.trouble().get(), new Evidence("engine", seen, "engine", status.phaseSince()));
        }
        if (status.phase() == EngineStatus.Phase.READY) {
            return ok("it has served for " + span(inPhase));
        }
        String summary = "it is " + status.phase() + " for " + span(inPhase)
                + (status.detail().isEmpty() ? "" : ": " + status.detail());
        return inPhase.compareTo(Duration.ofSeconds(30)) < 0
                ? found(INFO, summary)
                : found(
                        inPhase.compareTo(Duration.ofMinutes(5)) < 0 ? WARN : CRITICAL,
                        summary,
                        new Evidence("engine", status.phase().toString(), "engine", status.phaseSince()));
    }

    private static Outcome restartStorm(Facts facts) {
        Instant since = facts.now().minus(Duration.ofMinutes(10));
        List<Evidence> recent = facts.the(Starts.class).starts().stream()
                .filter(start -> start.isAfter(since))
                .map(start -> new Evidence("daemon", "started", "host", start))
                .toList();
        return recent.size() < 3
                ? ok(count(recent.size(), "start") + " within ten minutes")
                : found(recent.size() < 6 ? WARN : CRITICAL, recent.size() + " starts within ten minutes", recent);
    }

    private static Outcome versionSkew(Facts facts) {
        Versions versions = facts.the(Versions.class);
        String daemon = versions.daemon();
        if (versions.client().isEmpty()) {
            return skipped("who asks does not say its version");
        }
        return versions.client().equals(daemon)
                ? ok("both are " + daemon)
                : found(
                        INFO,
                        "the shell is " + versions.client() + ", the daemon " + daemon,
                        new Evidence("daemon", daemon, "daemon"));
    }

    private static Outcome databaseDamaged(Facts facts) {
        Verification found = facts.the(Verification.class);
        return each(
                found.problems().stream()
                        .map(one -> new Evidence(one.where(), one.message(), "db verify: " + one.check())),
                CRITICAL,
                n -> count(n, "problem") + " in the database",
                "sound up to commit " + found.generation());
    }

    private static Outcome databaseLarge(Facts facts) {
        long size = facts.the(DatabaseState.class).bytes();
        return size < 256L << 20
                ? ok(bytes(size))
                : found(INFO, "it has " + bytes(size), new Evidence("database", bytes(size), "host"));
    }

    private static Outcome leaseHistory(Facts facts) {
        LeaseHistory.State history = facts.the(LeaseHistory.State.class);
        return history.trouble()
                .map(trouble -> found(WARN, trouble, new Evidence("history of leases", trouble, "host")))
                .orElseGet(() -> ok(history.leases() + " leases that ended, in " + bytes(history.bytes())));
    }

    private static Outcome recordFiles(Facts facts) {
        Map<String, RecordLog.State> logs =
                new TreeMap<>(facts.the(RecordFiles.class).logs());
        List<Evidence> faults = new ArrayList<>();
        logs.forEach((name, log) -> {
            log.trouble().ifPresent(trouble -> faults.add(new Evidence(name, trouble, "host")));
            if (log.dropped() > 0) {
                faults.add(new Evidence(name, log.dropped() + " dropped since the start", "host"));
            }
        });
        long size = logs.values().stream().mapToLong(RecordLog.State::bytes).sum();
        return faults.isEmpty()
                ? ok("events, traces and samples, in " + bytes(size))
                : found(WARN, faults.get(0).subject() + ": " + faults.get(0).seen(), faults);
    }

    private static Outcome diskNearlyFull(Facts facts) {
        DiskSpace disk = facts.the(DiskSpace.class);
        String directory = disk.directory().toString();
        Severity worst = OK;
        List<Evidence> evidence = new ArrayList<>();
        int free = percent(disk.usable(), disk.total());
        if (free < 10 && disk.usable() < 1L << 30) {
            String seen = bytes(disk.usable()) + " of " + bytes(disk.total()) + " are free, " + free + "%";
            evidence.add(new Evidence(directory, seen, "host"));
            worst = free < 3 && disk.usable() < 128L << 20 ? CRITICAL : WARN;
        }
        DiskSpace.Inodes inodes = disk.inodes().orElse(new DiskSpace.Inodes(1, 1));
        int inodesFree = percent(inodes.free(), inodes.total());
        if (inodesFree < 10) {
            evidence.add(new Evidence(directory, inodes.free() + " of " + inodes.total() + " inodes are free", "host"));
            worst = worst.worse(inodesFree < 2 ? CRITICAL : WARN);
        }
        return unless(
                evidence,
                worst,
                "the disk of " + directory + " is nearly full",
                bytes(disk.usable()) + " are free, " + free + "%");
    }

    /** The events that are kept, oldest first. */
    public record KeptEvents(List<Event> kept, int limit) {}

    /** What is kept of events, traces and samples, by these names. */
    public record RecordFiles(Map<String, RecordLog.State> logs) {}

    public record Versions(String daemon, String client) {}

    /** @param bytes of its files */
    public record DatabaseState(long bytes) {}
}
