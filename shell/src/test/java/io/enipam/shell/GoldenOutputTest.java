package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each command prints in each format, letter by letter: the files in {@code golden/}. After a wanted change
 * run this once with {@code -Dgolden.write=true}, and read the difference before it is committed.
 */
class GoldenOutputTest {
    @TempDir
    static Path directory;

    @AutoClose
    private static FakeDaemon daemon;

    @BeforeAll
    static void start() throws IOException {
        daemon = new FakeDaemon(directory.resolve("s"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status",
                "version",
                "config show",
                "pool show",
                "pool idle",
                "pool inuse",
                "pool map",
                "eni list",
                "eni show eni-1",
                "ecs calls",
                "ecs budget",
                "eni sweep --yes",
                "eni sweep --dry-run",
                "pod list",
                "pod show default/web-0",
                "pod delete default/web-0 --yes",
                "cni add --pod default/web-0",
                "cni del --pod default/web-0",
                "pool history",
                "who 10.0.1.3",
                "lease history default/web-0 --since 30d",
                "diff --from 10m",
                "audit",
                "pool warm 20",
                "pool warm 5 --for 30m --dry-run",
                "pool drain --yes",
                "pool drain --dry-run",
                "pool drain --undo",
                "cni check --pod default/web-0",
                "cni status",
                "pool sync",
                "pool retry",
                "gc run",
                "gc run --dry-run",
                "cni gc --valid 1,2/eth0 --dry-run",
                "cni gc --valid 1 --yes",
                "gc status",
                "explain 10.0.1.7",
                "explain 10.0.1.8",
                "explain default/web-9",
                "explain eni-2 --anew",
                "explain web",
                "db dump",
                "db dump --bucket quarantine",
                "db get leases/enipam/sim-3/eth0",
                "db verify",
                "db backup /var/backups/enipam.jsonl",
                "db restore /var/backups/enipam.jsonl --dry-run",
                "db compact",
                "pool policy",
                "pool policy warm-target",
                "plugin list",
                "plugin info builtin",
                "plugin info cidr-factory",
                "plugin info cidr-factory --stack",
                "plugin info warm-target-policy",
                "plugin info old.jar",
                "plugin ballots",
                "plugin grants",
                "plugin swap policy warm-target",
                "plugin swap policy warm-target --dry-run",
                "plugin swap policy warm-target --yes",
                "plugin swap cancel",
                "plugin reload warm-target-policy",
                "plugin swap factory cidr --yes",
                "plugin swap factory cidr --dry-run",
                "plugin run warm-target-policy demand",
                "plugin run warm-target-policy demand window=10m order=count",
                "cloud fault list",
                "cloud fault add AssignPrivateIpAddresses --percent 20 --code Throttling.User",
                "cloud fault add AttachNetworkInterface --nth 3 --drop-answer",
                "cloud fault remove 2",
                "cloud fault remove all",
                "cloud latency",
                "cloud latency real",
                "cloud throttle",
                "cloud throttle AssignPrivateIpAddresses=5",
                "cloud reset",
                "cloud detach eni-1 --yes",
                "cloud take-ip 10.0.1.4 --yes",
                "cloud stick eni-1",
                "cloud release eni-1",
                "cloud expire",
                "cloud skew 20m --behind",
                "doctor --fail-on none",
                "doctor --fail-on none --severity ok",
                "doctor --list",
                "doctor --explain lease-stale",
                "doctor --repair lease-stale --yes",
                "doctor --repair lease-stale --dry-run",
                "events",
                "log",
                "log --level ERROR",
                "events --level warning",
                "events -n 1 --type grant",
                "trace",
                "trace --failed -n 3",
                "trace default/web-0",
                "trace default/web-0 -n 1",
                "trace sim-3 --failed",
                "runbook list"
            })
    void eachCommandPrintsWhatItsGoldenFilesHold(String command) throws IOException {
        String table = answer(command);
        String json = answer(command + " -o json");
        StringBuilder others = new StringBuilder();
        for (String format : List.of("wide", "vertical", "csv", "yaml", "name")) {
            String text = format.equals("csv") && !lists(command) ? "" : answer(command + " -o " + format);
            others.append(text.isEmpty() ? "" : "--- " + format + "\n" + text);
        }

        assertThat(table).isEqualTo(golden(command, "txt", table));
        assertThat(json).isEqualTo(golden(command, "json", json));
        assertThat(others.toString()).isEqualTo(golden(command, "others", others.toString()));
        assertThat(JsonParser.parseString(json).isJsonObject()).isTrue();
    }

    /** What prints no list has no CSV, and says so before anything is done. */
    private static boolean lists(String command) {
        TestShell.Result result =
                new TestShell(directory, directory).at(directory.resolve("s"), "-c", command + " -o csv");
        assertThat(result.err()).matches("|.*has no CSV.*\\R");
        return result.err().isEmpty();
    }

    private static String answer(String command) {
        TestShell.Result result = new TestShell(directory, directory).at(directory.resolve("s"), "-c", command);

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        return result.out();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "help",
                "help cni add",
                "help ecs calls",
                "help ecs budget",
                "help pool",
                "help explain",
                "help pool sync",
                "help pool warm",
                "help pool drain",
                "help cni check",
                "help cni gc",
                "help eni sweep",
                "help db",
                "help db dump",
                "help db verify",
                "help db restore",
                "help db export",
                "help plugin",
                "help plugin swap policy",
                "help plugin swap factory",
                "help plugin run",
                "help plugin reload",
                "help events",
                "help trace",
                "help cloud",
                "help cloud fault add",
                "help cloud latency",
                "help doctor",
                "help run",
                "help pipes",
                "help grep",
                "help jq",
                "help runbook check"
            })
    void helpTeaches(String command) throws IOException {
        String seen =
                new TestShell(directory, directory).run(command.split(" ")).out();

        assertThat(seen).isEqualTo(golden(command, "txt", seen));
    }

    static String golden(String command, String kind, String seen) throws IOException {
        String name = "/golden/" + command.replaceAll("[^a-z0-9]+", "-") + "." + kind;
        if (Boolean.getBoolean("golden.write")) {
            Files.writeString(Path.of("src/test/resources" + name), seen);
            return seen;
        }
        try (InputStream file = Objects.requireNonNull(GoldenOutputTest.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
