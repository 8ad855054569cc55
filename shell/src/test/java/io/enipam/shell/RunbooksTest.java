package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.enipam.v1.ListPodsReply;
import io.enipam.v1.ListPodsRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Runbooks with the shell's own commands, at a daemon. */
class RunbooksTest extends AttachedShell {
    private Path file;

    @BeforeEach
    void start() {
        file = directory.resolve("demo.runbook");
    }

    private void write(String... lines) throws IOException {
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    private TestShell.Result runFile(String... options) {
        String[] args = new String[options.length + 2];
        args[0] = "run";
        args[1] = file.toString();
        System.arraycopy(options, 0, args, 2, options.length);
        return program(args);
    }

    @Test
    void aRunbookThatHoldsPrintsItsTranscript() throws IOException {
        write(
                "# what a first look is",
                "cni add --pod ${pod}",
                "expect pool inuse | grep ${pod}",
                "expect ! pool idle | grep INVALID",
                "retry 10s: expect plugin list | grep 'warm-target-policy  1.2.0'");

        TestShell.Result result = runFile("-v", "pod=default/web-0");

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out())
                .startsWith("enipam> cni add --pod default/web-0\npod        default/web-0\n")
                .contains("enipam> retry 10s: expect plugin list | grep 'warm-target-policy  1.2.0'\nID ");
    }

    @Test
    void aCountOfNoLinesIsNoMatch() throws IOException {
        write("expect ! pool inuse | grep -c no-such-pod", "expect pool inuse | grep -c no-such-pod");

        TestShell.Result result = runFile();

        assertThat(result.status()).isEqualTo(4);
        assertThat(result.err()).contains("demo.runbook:2");
    }

    @Test
    void whatMayBeRefusedHasToBeWrittenAllTheSame() throws IOException {
        write("try pool show > " + directory + "/no/such/file", "echo all is written");

        TestShell.Result result = runFile();

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).doesNotContain("\nall is written");
        assertThat(result.err()).contains("its directory does not exist");
    }

    @Test
    void aFileThatCannotBeWrittenIsNoRefusal() throws IOException {
        write("! support-bundle " + directory + "/no/such/bundle.tar.gz", "echo it was refused");

        TestShell.Result result = runFile();

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).doesNotContain("\nit was refused");
        assertThat(result.err()).contains("demo.runbook:1: ", "its directory does not exist");
    }

    @Test
    void whatAnEditorPutsBeforeTheFirstLineAndBehindEachIsNoPartOfIt() throws IOException {
        Files.writeString(file, "\uFEFF---\r\nname: windows\r\n---\r\necho h\u00e9llo\r\n");

        TestShell.Result result = runFile();

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("\nh\u00e9llo\n");
    }

    @Test
    void aShippedOneIsIncludedByItsName() throws IOException {
        write("include check-db", "include mine.runbook");
        Files.writeString(directory.resolve("mine.runbook"), "include check-node\n");

        assertThat(program("runbook", "check", file.toString()).out()).contains(" steps, 0 of them");
    }

    @Test
    void whatIsNoFileIsSaidToBeWhatItIs() {
        assertThat(program("run", directory.toString()).err()).contains("is a directory");
        assertThat(program("run", "").err()).contains("'' is a directory");
        assertThat(program("run", "/dev/null").err())
                .contains("is no plain file. What another program writes is run by: run -");
    }

    @Test
    void aLoopTakesNoNullForAnItem() throws IOException {
        write("for x in pool inuse | jq '.leases[].nothing'", "echo ${x}", "end");

        assertThat(runFile().err()).contains("saw null");
    }

    @Test
    void jsonIsToldAsLinesOfJsonWhereverItIsAskedFor() throws IOException {
        write("pool show");

        String before = program("-o", "json", "run", file.toString()).out();
        String behind = program("run", file.toString(), "-o", "json").out();

        assertThat(before.lines())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("{"));
        assertThat(behind.lines()).hasSameSizeAs(before.lines().toList());
        assertThat(behind).startsWith("{");
    }

    @Test
    void tablesAreWhatIsExpectedOfWhateverTheProgramWasTold() throws IOException {
        write("expect pool idle | grep ADDRESS", "expect pool idle -o json | grep '\"entries\"'");

        assertThat(program("-o", "json", "run", file.toString()).status()).isZero();
    }

    @Test
    void adviceIsNotTakenForWhatThereIs() throws IOException {
        daemon.answer(ListInUseRequest.class, ListInUseReply.getDefaultInstance());
        write("expect ! pool inuse | grep default/web-0");

        TestShell.Result result = runFile();

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("\nno address is in use\n");
    }

    @Test
    void whatDoesNotHoldIsOneLineAndStatus4() throws IOException {
        write("pool show", "", "expect pool inuse | grep default/web-9", "pool idle");

        TestShell.Result result = runFile();

        assertThat(result.status()).isEqualTo(4);
        assertThat(result.err())
                .startsWith(
                        "enipam: run failed: " + file + ":3: expected a line with 'default/web-9' from 'pool inuse',"
                                + " and saw: POD  ADDRESS  STATE  ENI")
                .hasLineCount(1);
        assertThat(result.out()).contains("default/web-0").doesNotContain("pool idle");
    }

    @Test
    void aRefusedCommandEndsItWithTheDaemonsWords() throws IOException {
        refuse(CniAddRequest.class, "POOL_EXHAUSTED", "all 14 addresses are in use", "");
        write("! cni add --pod default/a", "cni add --pod default/b");

        TestShell.Result result = runFile();

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).contains("enipam: cni add failed: all 14 addresses are in use (POOL_EXHAUSTED)\n");
        assertThat(result.err())
                .isEqualTo("enipam: run failed: " + file
                        + ":2: cni add failed: all 14 addresses are in use (POOL_EXHAUSTED)\n");
    }

    @Test
    void allProblemsAreToldBeforeAnythingRuns() throws IOException {
        write(
                "cni add --pod default/a",
                "stauts",
                "pool show --nope",
                "pool",
                "cni add --pod a/b/c",
                "plugin run x y z",
                "plugin swap factory cidr",
                "events -f",
                "exit",
                "run " + file,
                "pod delete default/a --yes",
                "help plugin",
                "help plugni");

        TestShell.Result result = runFile();

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        // an unknown word may be a plugin's
        assertThat(daemon.received()).allMatch(ListCommandsRequest.class::isInstance);
        assertThat(result.err().replace(file.toString(), "F")).isEqualTo("""
                F:2:1: unknown command 'stauts'. Did you mean 'status'?
                F:3:1: unknown option '--nope'. See 'help pool show'
                F:4:1: which one? pool takes show, idle, inuse, history, map, warm, drain, sync, retry, policy. See 'help pool'
                F:5:1: invalid value for option '--pod': a pod is NAMESPACE/NAME, as in default/web-0, not 'a/b/c'. See 'help cni add'
                F:6:1: 'z' is not NAME=VALUE. As in: window=10m
                F:7:1: 'plugin swap factory' asks first, and a runbook asks with confirm alone. Add --yes
                F:8:1: 'events' is not for a runbook: events -f ends only at Ctrl-C
                F:9:1: 'exit' is not for a runbook: a runbook ends at its last line, or at the first that fails
                F:10:1: 'run' is not for a runbook: one runbook becomes a part of another with include
                F:13:1: unknown command 'plugni'. Did you mean 'plugin'?
                enipam: run failed: F has 10 problems. Nothing of it was run
                """);
    }

    @Test
    void aTerminalDoesNotMakeARunbookAsk() throws IOException {
        write("pod delete default/a");

        TestShell.Result result = new TestShell(directory, directory)
                .on(new Terminals(true, true, true), Map.of())
                .typing("y\n")
                .at(socket, "run", file.toString());

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("asks first");
    }

    @Test
    void aDryRunIsAPlanThatMarksWhatChangesThings() throws IOException {
        write(
                "status",
                "cni add --pod default/a",
                "gc run --dry-run",
                "retry 2m: gc run",
                "pool policy",
                "pool policy warm-target",
                "plugin swap factory cidr --dry-run",
                "plugin swap factory cidr --yes",
                "! pod delete default/a --yes",
                "expect cni del --pod default/a | grep COOLING");

        TestShell.Result result = runFile("--dry-run");

        assertThat(result.status()).isZero();
        assertThat(daemon.received()).isEmpty();
        assertThat(result.out().replace(file.toString(), "F")).isEqualTo("""
                LINE  CHANGES  STEP
                1     no       status
                2     yes      cni add --pod default/a
                3     no       gc run --dry-run
                4     yes      retry 2m: gc run
                5     no       pool policy
                6     yes      pool policy warm-target
                7     no       plugin swap factory cidr --dry-run
                8     yes      plugin swap factory cidr --yes
                9     yes      ! pod delete default/a --yes
                10    yes      expect cni del --pod default/a | grep COOLING
                F: 10 steps, 6 of them change something; nothing was run
                """);
    }

    @Test
    void aRunbookIsCheckedWithoutAnyDaemon() throws IOException {
        write("status", "cni add --pod ${pod}");
        TestShell nowhere = new TestShell(directory, directory);

        TestShell.Result good = nowhere.run("runbook", "check", file.toString(), "-v", "pod=default/a");
        TestShell.Result bad = nowhere.run("runbook", "check", file.toString(), "-v", "pd=default/a");

        assertThat(good.status()).isZero();
        assertThat(good.out())
                .isEqualTo(file + ": 2 steps, 1 of them changes something; needs permission to control\n");
        assertThat(bad.status()).isEqualTo(2);
        assertThat(bad.err())
                .isEqualTo(file + ":2:15: the variable 'pod' has no value. Did you mean 'pd'?\n" + file
                        + ": no line uses the variable 'pd'. Did you mean 'pod'?\nenipam: runbook check failed: " + file
                        + " has 2 problems. Nothing of it was run\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "run                    | enipam: run failed: which runbook? Name a file, or one of 'runbook list'; see 'help run'",
                "run /nope              | enipam: run failed: there is no file /nope. Name a runbook: a file, or one of 'runbook list'",
                "run src                | enipam: run failed: 'src' is a directory. Name a runbook: a file, or one of 'runbook list'",
                "run pom.xml -v x       | enipam: run failed: 'x' is not NAME=VALUE. As in: -v name=value",
                "run pom.xml -v x=1 -v x=2 | enipam: run failed: 'x' is given twice. Leave one of them out",
            })
    void aFileThatIsNoneIsTold(String line, String error) {
        TestShell.Result result = run(line);

        assertThat(result.err()).isEqualTo(error + "\n");
        assertThat(result.status()).isEqualTo(2);
    }

    @Test
    void aFileThatIsNoTextIsTold() throws IOException {
        Files.write(file, new byte[] {'a', (byte) 0xff, (byte) 0xfe});

        assertThat(runFile().err()).contains("is no text in UTF-8").hasLineCount(1);
    }

    @Test
    void whatAFileSaysCannotDriveTheTerminal() throws IOException {
        Files.writeString(
                file, "st\u001b[2Jatus\ncni add --pod 'd\u009b/a' # \u001b]0;x\u0007\n", StandardCharsets.UTF_8);

        TestShell.Result broken = runFile();
        write("cni add --pod 'd\u009b/a' # \u001b]0;x\u0007");
        TestShell.Result echoed = runFile();

        assertThat(broken.err()).doesNotContain("\u001b", "\u009b", "\u0007").contains("\uFFFD");
        assertThat(echoed.status()).isZero();
        assertThat(echoed.out()).doesNotContain("\u001b", "\u009b", "\u0007").contains("\uFFFD");
    }

    @Test
    void jsonIsAskedForWhereAJqStandsBehind() throws IOException {
        write(
                "set n = pool show | jq .pool.counts.idle",
                "expect pool show | jq .pool.counts.idle == ${n}",
                "status | head -n 1");

        TestShell.Result result = runFile();

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).contains("\nenipam> status | head -n 1\nnode ");
    }

    @Test
    void aRunbookComesFromStdinOrFromTheCommandLine() {
        TestShell.Result piped = new TestShell(directory, directory)
                .typing("expect pool show | jq .pool.kind == eni-ip\n")
                .at(socket, "run", "-");
        TestShell.Result given = program("run", "-c", "echo ${x}\npool show", "-v", "x=1");

        assertThat(piped.err()).isEmpty();
        assertThat(piped.out()).contains("# stdin: 1 step done");
        assertThat(given.out())
                .startsWith("enipam> echo 1\n1\nenipam> pool show\n")
                .contains("# -c: 2 steps done");
        assertThat(program("run", "-c", "pool show", "x").err()).contains("both -c and a file");
    }

    @Test
    void whereCommandsComeFromStdinNoRunbookDoes() {
        TestShell.Result result =
                new TestShell(directory, directory).typing("run -\npool show\n").at(socket);

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("the commands come from there already");
    }

    @Test
    void aReportGoesToAFileAndTheTextIsStillPrinted() throws IOException {
        write("pool show", "expect pool show | jq .pool.counts.idle == 99");
        Path report = directory.resolve("report");

        TestShell.Result result = runFile("-o", "jsonl", "--to", report.toString());

        assertThat(result.status()).isEqualTo(4);
        assertThat(result.out()).startsWith("enipam> pool show\n");
        assertThat(Files.readString(report))
                .startsWith("{\"event\":\"begin\"")
                .hasLineCount(4)
                .contains("\"exit\":4");
        assertThat(runFile("-o", "junit").out()).startsWith("<?xml").contains("failures=\"1\"");
        assertThat(runFile("--to", directory.resolve("no/report").toString()).err())
                .contains("directory does not exist");
        assertThat(runFile("-o", "html").err()).contains("'html' is not text, jsonl (or json) or junit");
    }

    @Test
    void aQuestionNeedsSomebodyOrYes() throws IOException {
        write("pool show", "confirm \"Sure, ${x}?\"", "cni add --pod default/a");

        TestShell.Result nobody = runFile("-v", "x=really");
        TestShell.Result no = new TestShell(directory, directory)
                .on(new Terminals(true, true, true), Map.of())
                .typing("n\n")
                .at(socket, "run", file.toString(), "-v", "x=really");
        TestShell.Result yes = runFile("-v", "x=really", "--yes");

        assertThat(nobody.status()).isEqualTo(2);
        assertThat(nobody.err()).contains("Add --yes");
        assertThat(nobody.out()).isEmpty();
        assertThat(no.status()).isEqualTo(130);
        assertThat(no.err()).contains("Sure, really? [y/N]", file + ":2: not confirmed");
        assertThat(yes.status()).isZero();
        assertThat(daemon.received().stream().filter(CniAddRequest.class::isInstance))
                .hasSize(1);
    }

    @Test
    void aShellThatOnlyLooksBeginsNoRunbookThatChangesSomething() throws IOException {
        write("pool show", "cni add --pod default/a");

        TestShell.Result result = program("--read-only", "run", file.toString());
        TestShell.Result plan = program("--read-only", "run", file.toString(), "--dry-run");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("read-only");
        assertThat(daemon.received()).isEmpty();
        assertThat(plan.status()).isZero();
        write("pool show", "gc run --dry-run");
        assertThat(program("--read-only", "run", file.toString()).status()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gc run", "if pool show | grep nothing-like-it\n  gc run\nend", "try pool sync"})
    void whatChangesSomethingAnywhereIsRefusedAsAWhole(String step) throws IOException {
        write("pool show > " + directory.resolve("before"), step);

        TestShell.Result told = program("--read-only", "-c", "run " + file + " > " + directory.resolve("report"));
        TestShell.Result reported = program("--read-only", "run", file.toString(), "--to", directory + "/junit.xml");

        for (TestShell.Result result : List.of(told, reported)) {
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.err()).contains("READ_ONLY");
            assertThat(result.out()).isEmpty();
        }
        assertThat(daemon.received()).isEmpty();
        assertThat(directory.resolve("before")).doesNotExist();
        assertThat(directory.resolve("report")).doesNotExist();
        assertThat(directory.resolve("junit.xml")).doesNotExist();
    }

    @Test
    void whatNeverEndsIsNotForARunbook() throws IOException {
        write("pool idle --watch");

        assertThat(runFile().err()).contains("is not for a runbook: --watch ends only at Ctrl-C");
    }

    @Test
    void aRetryWaitsForTheRealThing() throws Exception {
        daemon.answer(ListPodsRequest.class, ListPodsReply.getDefaultInstance());
        write("retry 1m: expect pod list | grep default/late-0");
        Thread later = new Thread(() -> {
            while (daemon.received().stream()
                            .filter(ListPodsRequest.class::isInstance)
                            .count()
                    < 2) {
                Thread.onSpinWait();
            }
            daemon.answer(
                    ListPodsRequest.class,
                    ListPodsReply.newBuilder()
                            .addPods(CannedReplies.pod("default/late-0", true, false))
                            .build());
        });
        later.start();

        TestShell.Result result = runFile();

        later.join();
        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("default/late-0  known").containsOnlyOnce("POD ");
    }

    @Test
    void aReportIsWrittenAlsoWhereNoDaemonCouldBeAsked() throws IOException {
        Files.writeString(file, "gc run\n");
        Path report = directory.resolve("attach.xml");

        TestShell.Result result = new TestShell(directory, directory)
                .at(directory.resolve("nobody"), "run", file.toString(), "-o", "junit", "--to", report.toString());

        assertThat(result.status()).isEqualTo(3);
        assertThat(Files.readString(report))
                .contains("errors=\"1\"")
                .contains("attach to the daemon")
                .contains("type=\"not_attached\"");
    }

    @Test
    void aValueWithoutItsOptionIsSaidToNeedIt() {
        assertThat(run("run check-node limit=0").err()).contains("A value for a runbook stands behind -v: -v limit=0");
    }
}
