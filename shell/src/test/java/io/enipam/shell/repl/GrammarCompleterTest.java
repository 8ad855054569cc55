package io.enipam.shell.repl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.enipam.shell.CannedCommands;
import io.enipam.shell.CommandTree;
import io.enipam.shell.FakeDaemon;
import io.enipam.shell.attach.DaemonConnection;
import io.enipam.shell.core.Grammar;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.Session;
import io.enipam.shell.core.Session.SessionOutput;
import io.enipam.shell.repl.CompletionValues.Value;
import io.enipam.shell.repl.GrammarWalker.EditorGrammar;
import io.enipam.shell.repl.LineAnalysis.ShellParser;
import io.enipam.v1.ListCommandsRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Parser.ParseContext;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What TAB offers; the cursor is at the end of the line. */
class GrammarCompleterTest {
    private static final CompletionValues LIVE = (kind, before) -> switch (kind) {
        case EVENT_TYPES -> List.of();
        case PODS -> List.of(new Value("default/web-0", "10.0.1.3/24"), new Value("default/web-1", ""));
        case CONTAINERS -> List.of(new Value("sim-1", "default/web-0"), new Value("my box", "default/odd"));
        case ADDRESSES -> List.of(new Value("10.0.1.3", "default/web-0"));
        case ENIS -> List.of(new Value("eni-1", "InUse"));
        case ENI_IPS -> List.of(new Value("10.0.1.4", "eni-1 default/web-0"));
        case TRACED -> List.of(new Value("default/gone-0", "pod, DEL OK"), new Value("eni-1", "ENI"));
        case ANYTHING -> List.of(new Value("10.0.1.4", "IN_USE default/web-0"), new Value("eni-1", "InUse"));
        case ECS_APIS -> List.of(new Value("AttachNetworkInterface", "3 calls"));
        case CLOUD_APIS -> List.of(new Value("*", ""), new Value("AttachNetworkInterface", ""));
        case CLOUD_CODES -> List.of(new Value("Throttling.User", ""));
        case CLOUD_FAULTS -> List.of(new Value("3", ""), new Value("all", ""));
        case CLOUD_LATENCIES -> List.of(new Value("none", ""), new Value("real", ""));
        case CLOUD_LIMITS -> List.of(new Value("off", ""), new Value("default", ""));
        case DB_KEYS -> List.of(new Value("leases/a", ""));
        case DB_BUCKETS -> List.of(new Value("leases", ""));
        case PLUGINS -> List.of(new Value("builtin", "ACTIVE"), new Value("evil\u001b[2J", ""));
        case POLICIES -> List.of(new Value("watermark", ""), new Value("warm-target", ""));
        case FACTORIES -> List.of(new Value("eni-ip", ""), new Value("cidr", ""));
        case ALLOCATORS -> List.of(new Value("files", "files RUNNING"));
        case BALLOTS -> List.of(new Value("tasks", "2 claims"));
        case EFFECTS -> List.of(new Value("of-" + before.get(0), "assign n1"));
        case DIAGNOSTICS -> List.of(new Value("of-" + before.get(0), "does\u001b[2J"));
        case DIAGNOSTIC_PARAMETERS -> List.of(new Value("window=", "a time"), new Value("order=time", ""));
        case COMMAND_VALUES ->
            List.of(new Value(before.get(0).replace(' ', '-') + "-" + before.get(1) + "-" + before.get(2) + "x", ""));
        case DOCTOR_CHECKS -> List.of(new Value("eni-leaked", ""), new Value("eni-stuck", ""));
        case DOCTOR_REPAIRS -> List.of(new Value("eni-leaked", ""));
        case FILES, RUNBOOKS, RUNBOOK_PARAMETERS, COMMANDS, COLUMNS -> List.of();
    };

    private static Session nowhere() {
        return at(Path.of("/nowhere"));
    }

    private static Session at(Path socket) {
        SessionOutput screen = new SessionOutput(
                new PrintStream(PrintStream.nullOutputStream()),
                new PrintStream(PrintStream.nullOutputStream()),
                Palette.PLAIN,
                Palette.PLAIN,
                false);
        return new Session(
                screen,
                OutputFormat.TABLE,
                CommandTree::of,
                () -> DaemonConnection.open(socket),
                InstantSource.system(),
                ZoneOffset.UTC);
    }

    private static List<Candidate> candidates(String line) {
        return candidates(line, nowhere());
    }

    private static List<Candidate> candidates(String line, Session session) {
        List<Candidate> candidates = new ArrayList<>();
        try (DumbTerminal terminal = new DumbTerminal(InputStream.nullInputStream(), PrintStream.nullOutputStream())) {
            LineReader reader = LineReaderBuilder.builder().terminal(terminal).build();
            EditorGrammar grammar = EditorGrammar.of(session);
            new GrammarCompleter(() -> Optional.of(grammar), LIVE)
                    .complete(reader, new ShellParser().parse(line, line.length(), ParseContext.COMPLETE), candidates);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return candidates;
    }

    private static List<String> offered(String line) {
        return candidates(line).stream().map(Candidate::value).toList();
    }

    @Test
    void commandsWithWhatTheyAreFor() {
        assertThat(offered("")).contains("status", "pool", "cni", "exit");
        assertThat(candidates("st"))
                .filteredOn(c -> c.value().equals("status"))
                .extracting(Candidate::descr)
                .containsExactly("The daemon's phase, pool, ENIs and last garbage collection.");
    }

    @Test
    void subCommands() {
        assertThat(offered("ecs ")).containsExactly("calls", "budget");
        assertThat(offered("pool "))
                .containsExactly("show", "idle", "inuse", "history", "map", "warm", "drain", "sync", "retry", "policy");
        assertThat(offered("pool inuse; gc ")).containsExactly("run", "status");
        assertThat(offered("pool nonsense ")).isEmpty();
    }

    @Test
    void aSweepWithItsOptions() {
        assertThat(offered("eni ")).containsExactly("list", "show", "sweep");
        assertThat(offered("eni sweep ")).contains("--dry-run", "--yes");
    }

    @Test
    void optionsThatAreNotGivenYet() {
        assertThat(offered("cni add --")).contains("--pod", "--timeout", "--output");
        assertThat(offered("cni add --pod a/b --")).contains("--timeout").doesNotContain("--pod");
        assertThat(offered("cni add --pod=a/b --")).contains("--timeout").doesNotContain("--pod");
        assertThat(offered("pool show -o json -")).doesNotContain("--output");
    }

    @Test
    void optionsWhereNothingElseCanFollow() {
        assertThat(offered("cni add ")).contains("--pod");
    }

    @Test
    void valuesOfOptionsInBothSpellings() {
        assertThat(offered("pool show -o "))
                .containsExactly("table", "wide", "vertical", "csv", "json", "yaml", "name");
        assertThat(offered("pool show --output="))
                .containsExactly(
                        "--output=table",
                        "--output=wide",
                        "--output=vertical",
                        "--output=csv",
                        "--output=json",
                        "--output=yaml",
                        "--output=name");
        assertThat(offered("cni del --pod ")).containsExactly("default/web-0", "default/web-1");
        assertThat(offered("ecs calls --api ")).containsExactly("AttachNetworkInterface");
        assertThat(offered("cni del --pod=def")).containsExactly("--pod=default/web-0", "--pod=default/web-1");
        assertThat(offered("db dump --bucket ")).containsExactly("leases");
        assertThat(offered("cni del --container ")).containsExactly("sim-1", "my box");
        assertThat(offered("cni add --container ")).isEmpty();
    }

    @Test
    void whatAFaultOfTheEmulatedCloudMayName() {
        assertThat(offered("cloud "))
                .containsExactly(
                        "fault",
                        "latency",
                        "throttle",
                        "reset",
                        "detach",
                        "take-ip",
                        "stick",
                        "release",
                        "expire",
                        "skew");
        assertThat(offered("cloud fault ")).containsExactly("list", "add", "remove");
        assertThat(offered("cloud fault add ")).containsExactly("*", "AttachNetworkInterface");
        assertThat(offered("cloud fault add A --code ")).containsExactly("Throttling.User");
        assertThat(offered("cloud fault add A --eni ")).containsExactly("eni-1");
        assertThat(offered("cloud fault add A --tear ")).containsExactly("string", "elsewhere", "start");
        assertThat(offered("cloud fault remove ")).containsExactly("3", "all");
        assertThat(offered("cloud take-ip ")).containsExactly("10.0.1.4");
        assertThat(offered("cloud detach ")).containsExactly("eni-1");
        assertThat(offered("cloud latency ")).containsExactly("none", "real");
        assertThat(offered("cloud throttle ")).containsExactly("off", "default");
    }

    @Test
    void livePositionals() {
        assertThat(offered("pod show ")).containsExactly("default/web-0", "default/web-1");
        assertThat(offered("pod delete --yes d")).containsExactly("default/web-0", "default/web-1");
        assertThat(offered("eni show ")).containsExactly("eni-1");
        assertThat(offered("db get ")).containsExactly("leases/a");
        assertThat(candidates("pod show ").get(0).descr()).isEqualTo("10.0.1.3/24");
    }

    @Test
    void theCommandsOfPlugins(@TempDir Path directory) throws IOException {
        Path socket = directory.resolve("s");
        try (FakeDaemon daemon = new FakeDaemon(socket);
                Session session = at(socket)) {
            daemon.answer(ListCommandsRequest.class, CannedCommands.ALL);
            Function<String, List<String>> offers = line ->
                    candidates(line, session).stream().map(Candidate::value).toList();

            assertThat(offers.apply("host")).contains("hostlocal");
            assertThat(offers.apply("hostlocal ")).containsExactly("ranges", "range", "release");
            assertThat(offers.apply("hostlocal ranges --")).contains("--above", "--only-free", "--watch");
            assertThat(offers.apply("hostlocal ranges --order ")).containsExactly("size", "name");
            assertThat(offers.apply("hostlocal ranges --above 4")).containsExactly("hostlocal-ranges-above-4x");
            assertThat(offers.apply("hostlocal release 10.")).containsExactly("hostlocal-release-ip-10.x");
        }
    }

    @Test
    void whatPluginsBring() {
        assertThat(offered("plugin "))
                .containsExactly("list", "info", "effects", "ballots", "grants", "swap", "reload", "run", "help");
        assertThat(offered("plugin grants ")).containsExactly("files");
        assertThat(offered("plugin ballots ")).containsExactly("tasks");
        assertThat(offered("plugin effects ipam ")).containsExactly("retry", "drop");
        assertThat(offered("plugin effects ipam drop ")).containsExactly("of-ipam");
        assertThat(offered("plugin swap ")).containsExactly("policy", "factory", "cancel");
        assertThat(offered("plugin swap policy w")).containsExactly("watermark", "warm-target");
        assertThat(offered("pool policy ")).containsExactly("watermark", "warm-target");
        assertThat(offered("plugin swap factory --yes ")).containsExactly("eni-ip", "cidr");
        assertThat(offered("plugin run builtin ")).containsExactly("of-builtin");
        assertThat(offered("plugin run builtin x ")).containsExactly("window=", "order=time");
        assertThat(offered("plugin run builtin x a=b w")).containsExactly("window=", "order=time");
    }

    @Test
    void aNameIsGoneOnWithAfterItsEqualsSign() {
        assertThat(candidates("plugin run builtin x "))
                .extracting(Candidate::value, Candidate::complete)
                .containsExactly(tuple("window=", false), tuple("order=time", true));
    }

    @Test
    void filesOfRunbooks(@TempDir Path directory) throws IOException {
        Files.createFile(directory.resolve("swap.runbook"));
        Files.createFile(directory.resolve(".hidden"));
        Files.createDirectory(directory.resolve("more"));

        assertThat(candidates("run " + directory + "/"))
                .extracting(Candidate::value, Candidate::complete)
                .containsExactly(tuple(directory + "/more/", false), tuple(directory + "/swap.runbook", true));
        assertThat(offered("runbook check " + directory + "/sw")).containsExactly(directory + "/swap.runbook");
        assertThat(offered("run " + directory + "/.h")).containsExactly(directory + "/.hidden");
        assertThat(offered("run s")).containsExactly("swap-policy", "swap-factory", "src/");
        assertThat(offered("run /nowhere/x")).isEmpty();
    }

    @Test
    void runbooksOfTheLibraryAndTheirParameters() {
        assertThat(offered("run pre")).containsExactly("pre-upgrade-check");
        assertThat(offered("runbook show back")).containsExactly("backup-db");
        assertThat(candidates("run backup-db -v "))
                .extracting(Candidate::value, Candidate::complete)
                .containsExactly(tuple("file=", false), tuple("verify=", false));
        assertThat(offered("run nobodys -v ")).isEmpty();
    }

    @Test
    void aPluginsWordsDoNotDriveTheTerminal() {
        assertThat(offered("plugin info ")).containsExactly("builtin");
        assertThat(candidates("plugin run builtin ").get(0).descr()).isEqualTo("does\uFFFD[2J");
    }

    @Test
    void theCommandsThatHelpExplains() {
        assertThat(offered("help ")).contains("pool", "cni");
        assertThat(offered("help cni ")).containsExactly("add", "del", "check", "status", "gc");
    }

    @Test
    void columnsOneBehindTheOther() {
        assertThat(offered("pool inuse --columns ")).contains("pod", "address");
        assertThat(offered("events --sort-by=-ti")).contains("--sort-by=-time");
        assertThat(offered("doctor --list --columns w")).contains("worst");
        assertThat(offered("pool inuse --columns pod,a"))
                .contains("pod,address")
                .doesNotContain("pod,pod");
        assertThat(offered("pool inuse --sort-by=-a")).contains("--sort-by=-address");
        assertThat(offered("pool inuse --watch -o ")).contains("json");
    }

    @Test
    void podsAndColumnsAreCompletedWhereverTheyAreNamed() {
        List<String> blind = new ArrayList<>();
        collect(EditorGrammar.of(nowhere()).commands(), blind);

        assertThat(blind).isNotEmpty().doesNotContain("NS/NAME", "A,B", "A,-B", "POD");
    }

    private static void collect(CommandLine command, List<String> blind) {
        command.getSubcommands().values().forEach(sub -> collect(sub, blind));
        command.getCommandSpec().args().stream()
                .filter(argument -> argument.arity().max() > 0)
                .filter(argument -> GrammarWalker.choices(argument).isEmpty()
                        && Grammar.live(argument).isEmpty())
                .map(argument -> argument.paramLabel())
                .forEach(blind::add);
    }

    @Test
    void aTraceIsOfferedForPodsThatAreGoneAsWell() {
        assertThat(candidates("trace de").stream().map(Candidate::value)).contains("default/gone-0");
    }
}
