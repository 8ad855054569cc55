package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.shell.ShellProgram.Terminals;
import io.enipam.v1.CniAddRequest;
import io.enipam.v1.CniDelReply;
import io.enipam.v1.CniDelRequest;
import io.enipam.v1.DeletePodRequest;
import io.enipam.v1.GetStatusRequest;
import io.enipam.v1.ListCommandsRequest;
import io.enipam.v1.ListInUseReply;
import io.enipam.v1.ListInUseRequest;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the person and the script are told when something does not work. */
class ErrorsTest extends AttachedShell {
    @Test
    void theDaemonsOwnWordsComeFirst() {
        refuse(CniAddRequest.class, "POOL_EXHAUSTED", "all 14 addresses are in use", "Give one back with cni del.");

        TestShell.Result result = program("cni", "add", "--pod", "default/a");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .isEqualTo(
                        "enipam: cni add failed: all 14 addresses are in use (POOL_EXHAUSTED). Give one back with cni del\n");
    }

    @Test
    void whatNobodyForesawIsALineWithACodeAndNoStackTrace() {
        InputStream broken = new InputStream() {
            @Override
            public int read() {
                throw new IllegalStateException("boom\n\tat io.enipam.Somewhere");
            }
        };

        TestShell.Result result =
                new TestShell(directory, directory).reading(broken).at(socket);
        assertThat(result.err())
                .isEqualTo("enipam: this is a bug of the shell: java.lang.IllegalStateException: boom at"
                        + " io.enipam.Somewhere (INTERNAL). Please report it\n");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();

        TestShell.Result forProgram =
                new TestShell(directory, directory).reading(broken).at(socket, "-o", "json");
        assertThat(forProgram.err()).startsWith("{\"code\":\"INTERNAL\"").hasLineCount(1);
    }

    @Test
    void aBareStatusIsToldAsItIs() {
        daemon.fail(GetStatusRequest.class, Status.PERMISSION_DENIED.withDescription("uid 1000 may not inspect"));

        TestShell.Result result = program("status");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).isEqualTo("enipam: status failed: uid 1000 may not inspect (PERMISSION_DENIED)\n");
    }

    @Test
    void aCallThatAClosingDaemonCutsWasNotInterruptedByAnybodyHere() {
        daemon.fail(GetStatusRequest.class, Status.CANCELLED.withDescription("RST_STREAM closed stream"));

        TestShell.Result result = run("status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err())
                .isEqualTo(
                        "enipam: status failed: the daemon on " + socket
                                + " went away: it ended the call (UNAVAILABLE). Is enipamd running? Look at its log, then try again\n");
    }

    @Test
    void aListThatFailsPrintsNoHalfDocument() {
        daemon.fail(ListInUseRequest.class, Status.INTERNAL.withDescription("a bug"));

        TestShell.Result result = program("pool", "inuse", "-o", "json");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .isEqualTo(
                        "{\"code\":\"INTERNAL\",\"message\":\"a bug\",\"hint\":\"\",\"command\":\"pool inuse\",\"exit\":1}\n");
    }

    @Test
    void aDaemonThatDoesNotAnswerIsNotWaitedForForEver() {
        daemon.hang(CniAddRequest.class);
        // the daemon is given 5 s and the shell 5 s more
        TestShell.Result result = program("cni", "add", "--pod", "default/a", "--timeout", "5s");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("did not answer in time (DEADLINE_EXCEEDED)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stauts                            | enipam: unknown command 'stauts'. Did you mean 'status'?",
                "pool inus                         | enipam: unknown command 'inus'. Did you mean 'inuse'?",
                "frobnicate                        | enipam: unknown command 'frobnicate'. See 'help'",
                "pool                              | enipam: which one? pool takes show, idle, inuse, history, map, warm, drain, sync, retry, policy. See 'help pool'",
                "plugin swap                       | enipam: which one? plugin swap takes policy, factory, cancel. See 'help plugin swap'",
                "plugin swap polcy x               | enipam: unknown command 'polcy'. Did you mean 'policy'?",
                "plugin run a b c                  | enipam: plugin run failed: 'c' is not NAME=VALUE. As in: window=10m",
                "plugin run a b c=1 c=2            | enipam: plugin run failed: 'c' is given twice. Leave one of them out",
                "pool policy --dry-run             | enipam: pool policy failed: --dry-run of what? Name the policy, as in: pool policy watermark --dry-run",
                "status --outptu=json              | enipam: unknown option '--outptu'. Did you mean '--output'?",
                "status -o xml                     | enipam: invalid value for option '--output': 'xml' is not table, wide, vertical, csv, json, yaml or name. See 'help status'",
                "status now                        | enipam: one argument too many: 'now'. See 'help status'",
                "cni add                           | enipam: missing required option: '--pod=NS/NAME'. See 'help cni add'",
                "eni show                          | enipam: missing required parameter: 'ID'. See 'help eni show'",
                "cni add --pod d/a --timeout soon  | enipam: invalid value for option '--timeout': 'soon' is not a time such as 500ms, 10s or 2m. See 'help cni add'",
                "status --sandbox                  | enipam: --sandbox belongs before the command. As in: enipam --sandbox ... COMMAND",
                "status --plugin x                 | enipam: --plugin belongs before the command. As in: enipam --plugin ... COMMAND",
                "help stauts                       | enipam: help failed: unknown command 'stauts'. Did you mean 'status'?",
            })
    void aWrongCommandLineNamesWhatIsNear(String line, String error) {
        TestShell.Result result = run(line);

        assertThat(result.err()).isEqualTo(error + "\n");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        // an unknown word may be a plugin's
        assertThat(daemon.received()).allMatch(ListCommandsRequest.class::isInstance);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--sokcet x status        | enipam: unknown option '--sokcet'. Did you mean '--socket'?",
                "--plugin x status       | enipam: --plugin is for a sandbox, and this is a daemon that runs already. Put the plugin into its plugin directory, or add --sandbox",
                "--socket s --config x    | enipam: --config is for a sandbox, and this is a daemon that runs already. Configure that daemon, or add --sandbox",
                "--role cluster status    | enipam: --role is for a sandbox, and this is a daemon that runs already. Configure that daemon, or add --sandbox",
                "--sandbox --plugin /nope | enipam: --plugin: there is no /nope. Name a jar, or a directory of jars",
                "--sandbox --plugin pom.xml | enipam: --plugin: pom.xml is no jar. Name a jar, or a directory of jars",
                "--sandbox --plugin src   | enipam: --plugin: src has no jar in it. Name a jar, or a directory of jars",
                "--sandbox --config /nope | enipam: --config: there is no /nope. Name a file such as enipam.yaml",
                "--sandbox --config src   | enipam: --config: src is not a file that can be read. Name a file such as enipam.yaml",
                "-c status status         | enipam: both -c and a command. Put 'status' into -c",
                "-o xml status            | enipam: invalid value for option '--output': 'xml' is not table, wide, vertical, csv, json, yaml or name. See 'enipam --help'",
            })
    void soDoesAWrongOptionOfTheProgram(String args, String error) {
        TestShell.Result result = new TestShell(directory, directory).run(args.split(" "));

        assertThat(result.err()).isEqualTo(error + "\n");
        assertThat(result.status()).isEqualTo(2);
    }

    @Test
    void aSandboxAndASocketExcludeEachOther() {
        TestShell.Result result = new TestShell(directory, directory).run("--sandbox", "--socket", "x", "status");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("mutually exclusive").hasLineCount(1);
    }

    @Test
    void aSocketThatIsNotThereSaysWhatToTry() {
        TestShell.Result result = new TestShell(directory, directory).at(directory.resolve("none"), "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err())
                .isEqualTo("enipam: status failed: there is no socket " + directory.resolve("none")
                        + ". Is enipamd running? Name its socket with --socket PATH, or try enipam --sandbox\n");
    }

    @Test
    void aSocketThatNobodyListensOnIsToldFromOneThatIsNotThere() throws Exception {
        Path stale = directory.resolve("stale");
        try (ServerSocketChannel bound = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            bound.bind(UnixDomainSocketAddress.of(stale));
        }

        TestShell.Result result = new TestShell(directory, directory).at(stale, "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).startsWith("enipam: status failed: nobody listens on " + stale);
    }

    @Test
    void aFileIsNotASocket() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        TestShell.Result result = new TestShell(directory, directory).at(file, "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).contains(file + " is not a socket");
    }

    @Test
    void aPathTooLongForASocketSaysSo() {
        TestShell.Result result = new TestShell(directory, directory).at(directory.resolve("x".repeat(120)), "status");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).contains("a unix socket's path has at most 107");
    }

    @Test
    void severalCommandsStopAtTheFirstThatFails() {
        TestShell.Result result = run("pool inuse; stauts; pool idle");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).contains("web-0").doesNotContain("COOLING");
    }

    @Test
    void stdinIsReadLineByLineWhenItIsNoTerminal() {
        TestShell.Result result = new TestShell(directory, directory)
                .typing("# a comment\n\npool inuse -o json; pool idle\nexit\nstauts\n")
                .at(socket);

        assertThat(result.err()).isEmpty();
        assertThat(result.status()).isZero();
        assertThat(result.out()).startsWith("{\n  \"leases\"").contains("COOLING");
    }

    @Test
    void exitEndsASequenceWithItsStatus() {
        TestShell.Result result = run("exit 7; status");

        assertThat(result.status()).isEqualTo(7);
        assertThat(result.out()).isEmpty();
    }

    @Test
    void theFormatGivenToTheProgramHoldsForAllCommandsThatNameNone() {
        TestShell.Result result = program("-o", "json", "-c", "pool show; pool idle -o table");

        assertThat(result.out()).startsWith("{").contains("ADDRESS");
    }

    @Test
    void aDelOfNothingSucceedsAndSaysSo() {
        daemon.answer(CniDelRequest.class, CniDelReply.getDefaultInstance());

        TestShell.Result result = program("cni", "del", "--pod", "default/nobody");

        assertThat(result.status()).isZero();
        assertThat(result.out()).isEqualTo("nothing was held by default/nobody, so there was nothing to give back\n");
    }

    @Test
    void anEmptyListTeachesTheNextStep() {
        daemon.answer(ListInUseRequest.class, ListInUseReply.getDefaultInstance());

        assertThat(program("pool", "inuse").out())
                .isEqualTo("no address is in use; try: cni add --pod default/web-0\n");
        assertThat(program("pool", "inuse", "-o", "json").out()).isEqualTo("{\n  \"leases\": []\n}\n");
    }

    @Test
    void helpOfAWordThatIsNoCommandIsASearchForIt() {
        TestShell.Result result = program("help", "leak");

        assertThat(result.status()).isZero();
        assertThat(result.out()).contains("Where 'leak' is spoken of", "runbook show", "help runbooks");
        assertThat(program("help", "plugni").err()).contains("Did you mean 'plugin'?");
    }

    @Test
    void aPodIsNotDeletedUnasked() {
        TestShell.Result result = program("pod", "delete", "default/web-0");

        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("Add --yes").hasLineCount(1);
        assertThat(daemon.received()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"y, 1", "YES, 1", "n, 0", "'', 0"})
    void onATerminalThePersonDecides(String answer, int deletions) {
        TestShell.Result result = new TestShell(directory, directory)
                .on(new Terminals(true, true, true), Map.of())
                .typing(answer + "\n")
                .at(socket, "pod", "delete", "default/web-0");

        assertThat(result.status()).isZero();
        assertThat(result.err()).isEqualTo("Delete pod default/web-0 without a DEL? [y/N] ");
        assertThat(daemon.received())
                .filteredOn(DeletePodRequest.class::isInstance)
                .hasSize(deletions);
    }

    @Test
    void colourIsForTerminalsThatWantIt() {
        Map<String, String> xterm = Map.of("TERM", "xterm");
        Map<String, String> plain = Map.of("TERM", "xterm", "NO_COLOR", "1");
        Terminals all = new Terminals(true, true, true);

        assertThat(new TestShell(directory, directory)
                        .on(all, xterm)
                        .at(socket, "pool", "idle")
                        .out())
                .contains("\u001b[33mCOOLING\u001b[0m");
        assertThat(new TestShell(directory, directory)
                        .on(all, plain)
                        .at(socket, "pool", "idle")
                        .out())
                .doesNotContain("\u001b");
        assertThat(new TestShell(directory, directory)
                        .on(new Terminals(false, false, false), xterm)
                        .at(socket, "pool", "idle")
                        .out())
                .doesNotContain("\u001b");
    }

    @Test
    void whatComesFromOutsideCannotDriveTheTerminal() {
        daemon.answer(
                ListInUseRequest.class,
                ListInUseReply.newBuilder()
                        .addLeases(CannedReplies.lease("default/\u001b[2Jevil", 3, 1))
                        .build());

        assertThat(program("pool", "inuse").out())
                .contains("default/\uFFFD[2Jevil")
                .doesNotContain("\u001b");
    }
}
