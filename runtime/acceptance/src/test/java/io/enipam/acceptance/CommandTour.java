package io.enipam.acceptance;

import io.enipam.shell.CommandTree;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** A line for every command there is, in an order in which one leaves what the next one needs. */
final class CommandTour {
    /** All commands that have none below them, by the words they are typed as. */
    static final Map<String, CommandLine> GRAMMAR = grammar();

    /**
     * A line that is run in every format that its command has.
     *
     * @param line with {@code ${eni}}, {@code ${idle}} and {@code ${new}} for an ENI, an idle address and a file to come
     * @param before what is run before each format of it; empty for nothing
     * @param field what its JSON has, where the rest depends on how fast the machine is; empty if all of it is as it was
     */
    record Stop(String line, String before, Optional<String> field) {
        String command() {
            return GRAMMAR.keySet().stream()
                    .filter(name -> (line + " ").startsWith(name + " "))
                    .max((a, b) -> Integer.compare(a.length(), b.length()))
                    .orElseThrow(() -> new AssertionError("no command begins '" + line + "'"));
        }

        /** The formats of its command; none if it has but one. */
        List<String> formats() {
            OptionSpec output = GRAMMAR.get(command()).getCommandSpec().findOption("--output");
            return output == null
                    ? List.of()
                    : StreamSupport.stream(output.completionCandidates().spliterator(), false)
                            .toList();
        }

        @Override
        public String toString() {
            return line;
        }
    }

    private CommandTour() {}

    /** Lines that change nothing, or what the daemon forgets at once. */
    static List<Stop> looks() {
        return Stream.of(
                        same(
                                "config show",
                                "pool show",
                                "pool inuse",
                                "pool policy",
                                "eni list",
                                "eni sweep --dry-run",
                                "pod list",
                                "pod show default/web-0",
                                "cni status",
                                "cni check --pod default/web-0",
                                "cni gc --dry-run",
                                "gc status",
                                "gc run --dry-run",
                                "db dump --bucket leases",
                                "db get meta/node",
                                "db verify",
                                "plugin list",
                                "plugin info builtin",
                                "plugin help warm-target-policy",
                                "plugin effects warm-target-policy",
                                "plugin ballots",
                                "plugin grants",
                                "plugin swap policy watermark --dry-run",
                                "cloud fault list",
                                "cloud latency",
                                "cloud throttle",
                                "ecs calls --api CreateNetworkInterface --limit 1",
                                "doctor --list",
                                "doctor --explain lease-stale",
                                "runbook list",
                                "runbook show find-leaks",
                                "runbook check find-leaks",
                                "run -c 'pool policy'",
                                "help cni status",
                                "watch -n 0.1 cni status | head -n 1",
                                "use namespace default",
                                "at now",
                                "history",
                                "clear",
                                "exit"),
                        Stream.of(
                                shape("status", "node"),
                                shape("version", "java"),
                                shape("pool idle", "entries"),
                                shape("pool history", "samples"),
                                shape("pool map", "enis"),
                                shape("who 10.0.0.3", "leases"),
                                shape("lease history", "leases"),
                                shape("lease history default/web-0 --since 1h", "leases"),
                                shape("diff --from 1h", "leases"),
                                shape("audit --since 1d", "entries"),
                                shape("eni show ${eni}", "eni"),
                                shape("explain default/web-0", "things"),
                                shape("ecs calls", "calls"),
                                shape("ecs budget", "apis"),
                                shape("db dump", "records"),
                                shape("events", "events"),
                                shape("events -n 2 --level info", "events"),
                                shape("log --limit 5", "records"),
                                shape("trace", "stories"),
                                shape("trace default/web-0", "stories"),
                                shape("doctor lease-stale --fail-on none", "findings"),
                                shape("plugin run warm-target-policy targets", "rows"),
                                shape("plugin swap factory eni --dry-run", "from"),
                                shape("top -n 1", "status")))
                .flatMap(stops -> stops)
                .toList();
    }

    /** Lines that change the node, which is itself again behind the last of them. */
    static List<Stop> changes() {
        return List.of(
                shape("pool sync", "report"),
                shape("pool retry", "waiting"),
                shape("pool warm 3 --dry-run", "prospect"),
                shape("pool warm 3 --for 1m", "order"),
                shape("pool drain --dry-run", "prospect"),
                after("pool drain --yes", "pool drain --undo", "order"),
                after("pool drain --undo", "pool drain --yes", "changed"),
                after("cni add --pod default/tour", "cni del --pod default/tour", ""),
                after("cni del --pod default/tour", "cni add --pod default/tour", ""),
                after("pod delete default/tour --yes", "cni add --pod default/tour", ""),
                after("gc run", "cni del --pod default/tour", ""),
                after("db backup ${new}", "", ""),
                after("db restore ${new} --dry-run", "db backup ${new}", "file"),
                after("db export ${new}", "", ""),
                after("db import ${new} --dry-run", "db export ${new}", "file"),
                shape("db compact", "generation"),
                after("lab generate --pattern cron --pods 3 --hours 1 ${new}", "", "path"),
                shape("lab run ${trace} --policy 'watermark(min=1,max=2)'", "results"),
                shape("lab sweep ${trace} --min 0 --max 1", "results"),
                shape("lab advise ${trace} --min 0 --max 1", "advice"),
                after("lab record ${new}", "", "path"),
                after("lab import ${log} --to ${new}", "", "path"),
                shape("lab fuzz --seeds 2 --first 1", "findings"),
                shape("lab replay 1", "steps"),
                after("plugin swap cancel", "", ""),
                shape("plugin reload warm-target-policy", "id"),
                shape("doctor --repair lease-stale --dry-run", "check"),
                after("cloud fault add DescribeVpcs --nth 9 --code Throttling.User", "cloud reset", ""),
                after("cloud fault remove all", "cloud reset; cloud fault add DescribeVpcs --nth 9 --throttle", ""),
                after("cloud stick ${eni}", "cloud reset", ""),
                after("cloud release ${eni}", "cloud stick ${eni}", ""),
                shape("cloud skew 1s --behind", "key"),
                shape("cloud expire", "key"),
                shape("cloud reset", "removed"),
                shape("support-bundle ${new}", "parts"));
    }

    /** Lines that hurt and can be done but once to each thing: in which format they are told each time is turned. */
    static List<Stop> blows() {
        return List.of(shape("cloud take-ip ${idle} --yes", "ip"), shape("cloud detach ${eni} --yes", "eni"));
    }

    private static Stream<Stop> same(String... lines) {
        return Stream.of(lines).map(line -> new Stop(line, "", Optional.empty()));
    }

    private static Stop shape(String line, String field) {
        return after(line, "", field);
    }

    private static Stop after(String line, String before, String field) {
        return new Stop(line, before, Optional.of(field).filter(name -> !name.isEmpty()));
    }

    private static Map<String, CommandLine> grammar() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Session session = Session.detached(
                new SessionOutput(nowhere, nowhere, Palette.PLAIN, Palette.PLAIN, false),
                OutputFormat.TABLE,
                CommandTree::of,
                InstantSource.system(),
                ZoneOffset.UTC);
        Map<String, CommandLine> leaves = new TreeMap<>();
        collect(CommandTree.all(session), List.of(), leaves);
        return leaves;
    }

    private static void collect(CommandLine command, List<String> words, Map<String, CommandLine> leaves) {
        command.getSubcommands().forEach((word, below) -> {
            List<String> all = new ArrayList<>(words);
            all.add(word);
            if (!word.equals(below.getCommandName())) {
                return; // an alias
            }
            if (below.getSubcommands().isEmpty()) {
                leaves.put(String.join(" ", all), below);
            }
            collect(below, all, leaves);
        });
    }
}
