package io.enipam.bench.cluster;

import io.enipam.bench.Scratch;
import io.enipam.sdk.Call;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Command;
import io.enipam.sdk.Row;
import io.enipam.sdk.Source;
import io.enipam.sdk.Table;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Measures services of the swarm on the daemon's plugin host, tables on the disk included: from {@code swarm service create} until all
 * tasks are PENDING, which is when they have their addresses and the ballot's decision; then until half of them is gone, and until as many
 * are PENDING again. Then the same with one more voter on the ballot, the example {@code swarm-licences}, and Docker's manager does the same
 * in the same run, where dockerd can be started. Arguments: a directory on the disk to be measured, and numbers of tasks.
 */
public final class SwarmBenchMain {
    private static final List<Integer> SIZES = List.of(10, 1_000, 10_000, 50_000);
    private static final int DOCKERS = 1_000;

    /** Of services that a voter votes on. */
    private static final int VOTED = 10_000;

    /** Of a service of fewer tasks the beginning counts as much as the tasks. */
    private static final int MANY = 1_000;

    private static final String VOTER = "swarm-licences";
    private static final int WARM = 1_000;

    private SwarmBenchMain() {}

    public static void main(String[] args) throws Exception {
        List<Integer> sizes =
                args.length > 1 ? Stream.of(args).skip(1).map(Integer::valueOf).toList() : SIZES;
        System.out.println("               tasks  created s  tasks/s  CPU us/task  half gone s  back again s");
        try (Scratch scratch = Scratch.of(args)) {
            Map<Integer, Times> ours = new TreeMap<>();
            List<Times> beside = List.of();
            measure(scratch, WARM, 1, Set.of());
            for (int tasks : sizes) {
                List<Times> times = measure(scratch, tasks, tasks == DOCKERS ? 2 : 1, Set.of());
                print("enipam", tasks, times);
                ours.put(tasks, times.get(0));
                beside = tasks == DOCKERS ? times : beside;
            }
            ours.keySet().removeIf(tasks -> tasks < MANY);
            List<Times> voters = measure(scratch, VOTED, 1, Set.of(VOTER));
            Times voted = voters.get(0);
            print("and a voter", VOTED, voters);
            printScaling(ours);
            Optional.ofNullable(ours.get(VOTED))
                    .ifPresent(alone -> System.out.printf(
                            Locale.ROOT,
                            "one more voter: %.0f us of CPU a task, %.2f times without%n",
                            (voted.cpu() - alone.cpu()) * 1e6 / VOTED,
                            voted.cpu() / alone.cpu()));
            Optional<DockerManager> docker = DockerManager.start(scratch.path().resolve("docker"));
            if (docker.isEmpty()) {
                System.out.println("dockerd cannot run here: it needs Debian's docker.io, and root");
                return;
            }
            try (DockerManager manager = docker.get()) {
                manager.run(10);
                List<Times> theirs = List.of(manager.run(DOCKERS), manager.run(DOCKERS));
                print("dockerd", DOCKERS, theirs);
                for (int i = 0; i < beside.size(); i++) {
                    System.out.printf(
                            Locale.ROOT,
                            "%,d tasks%s: created %.1f times, half gone %.1f times, back again %.1f times as fast as dockerd%n",
                            DOCKERS,
                            i == 0 ? "" : " more",
                            theirs.get(i).created() / beside.get(i).created(),
                            theirs.get(i).gone() / beside.get(i).gone(),
                            theirs.get(i).back() / beside.get(i).back());
                }
            }
        }
    }

    /** @param services how many, each after the other and of so many tasks, the same daemon has */
    private static List<Times> measure(Scratch scratch, int tasks, int services, Set<String> voters)
            throws IOException {
        try (Plugin plugin = new Plugin(Files.createTempDirectory(scratch.path(), "swarm"), voters)) {
            List<Times> times = new ArrayList<>();
            for (int i = 0; i < services; i++) {
                times.add(plugin.run("web" + i, tasks));
            }
            return times;
        }
    }

    /** What a task takes, beside what one of the smallest service does: the same where all is linear. */
    private static void printScaling(Map<Integer, Times> bySize) {
        bySize.entrySet().stream()
                .findFirst()
                .ifPresent(first -> bySize.forEach((tasks, times) -> {
                    int fewer = first.getKey();
                    System.out.printf(
                            Locale.ROOT,
                            "a task of %,d takes %.2f times the CPU time, and %.2f times the time, of one of %,d%n",
                            tasks,
                            times.cpu() / tasks * fewer / first.getValue().cpu(),
                            times.created() / tasks * fewer / first.getValue().created(),
                            fewer);
                }));
    }

    /** In seconds, and of the CPU in all threads, while tasks were created. */
    record Times(double created, double cpu, double gone, double back) {}

    /** A line for each service; those after the first are of as many tasks more. */
    private static void print(String who, int tasks, List<Times> services) {
        String name = who;
        for (Times times : services) {
            System.out.printf(
                    Locale.ROOT,
                    "%-12s %7d %10.3f %8.0f %12.0f %12.3f %13.3f%n",
                    name,
                    tasks,
                    times.created(),
                    tasks / times.created(),
                    times.cpu() * 1e6 / tasks,
                    times.gone(),
                    times.back());
            name = "and more";
        }
    }

    private static final class Plugin implements AutoCloseable {
        private static final Table<String> TASKS = new Table<>("tasks", 1, Codec.text());

        /** The characters of a task's status, at least. */
        private static final int END = 160;

        private final RunningPlugin plugin;
        /** The rows of tasks that are PENDING: told, so that to count them costs no scan of all. */
        private final Set<String> pending = ConcurrentHashMap.newKeySet();

        Plugin(Path directory, Set<String> voters) throws IOException {
            plugin = new RunningPlugin("swarm", directory, Map.of("licences", List.of("100000")), List.of(), voters);
            plugin.tables().open(TASKS);
            plugin.tables().watch(TASKS, new Source.Sink() {
                @Override
                public void changed(String key) {
                    boolean is = plugin.tables()
                            .read(tx -> tx.get(TASKS, key)
                                    .filter(row -> isPending(row.value()))
                                    .isPresent());
                    if (is) {
                        pending.add(key);
                    } else {
                        pending.remove(key);
                    }
                }

                @Override
                public void synced() {}

                @Override
                public void lost(String why) {
                    throw new IllegalStateException(why);
                }
            });
            command("network create", Map.of("network", List.of("net"), "subnet", List.of("10.90.0.0/16")));
        }

        Times run(String service, int tasks) {
            int before = pending.size();
            double cpu = cpu();
            long begun = System.nanoTime();
            command(
                    "service create",
                    Map.of(
                            "name",
                            List.of(service),
                            "network",
                            List.of("net"),
                            "replicas",
                            List.of(Integer.toString(tasks))));
            RunningPlugin.await(() -> pending.size() == before + tasks);
            double created = seconds(begun);
            double used = cpu() - cpu;
            RunningPlugin.await(plugin::isIdle);
            long less = System.nanoTime();
            scale(service, tasks / 2);
            RunningPlugin.await(() -> pending.size() == before + tasks / 2 && plugin.isIdle());
            double gone = seconds(less);
            long more = System.nanoTime();
            scale(service, tasks);
            RunningPlugin.await(() -> pending.size() == before + tasks);
            double back = seconds(more);
            List<String> rows = plugin.tables()
                    .read(tx -> tx.scan(TASKS, "").map(Row::value).toList());
            if (rows.stream().filter(row -> row.contains("\"PENDING\"")).count() != before + tasks
                    || rows.stream().map(Plugin::address).distinct().count() != before + tasks) {
                throw new IllegalStateException("not each task is PENDING with an address of its own");
            }
            return new Times(created, used, gone, back);
        }

        /** The state is at a row's end. */
        private static boolean isPending(String task) {
            return task.indexOf("\"PENDING\"", Math.max(0, task.length() - END)) >= 0;
        }

        private static String address(String task) {
            int at = task.indexOf("\"addresses\":[\"10.90.");
            return task.substring(at, task.indexOf(']', at));
        }

        private void scale(String service, int tasks) {
            command("service scale", Map.of("services", List.of(service + "=" + tasks)));
        }

        private void command(String words, Map<String, List<String>> typed) {
            Command command = plugin.part().part().commands().stream()
                    .filter(each -> String.join(" ", each.spec().path()).equals("swarm " + words))
                    .findFirst()
                    .orElseThrow();
            command.run(Call.of(command.spec(), typed, false));
        }

        @Override
        public void close() throws IOException {
            plugin.close();
        }
    }

    static double seconds(long begun) {
        return (System.nanoTime() - begun) / 1e9;
    }

    private static double cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime()
                / 1e9;
    }
}
