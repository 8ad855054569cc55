package io.enipam.shell.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.shell.core.Grammar;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The manual pages, and the completion in a real bash with a program that lists two pods. */
@Timeout(120)
class ReferenceTest {
    @TempDir
    static Path directory;

    @BeforeAll
    static void write() throws IOException {
        ReferenceMain.write(directory);
        Path program = directory.resolve("bin/enipam");
        Files.createDirectories(program.getParent());
        Files.writeString(program, """
            #!/bin/sh
            echo "$*" >>'%1$s/asked'
            case "$*" in
              *'pod list -o name') printf 'default/web-0\\nkube-system/dns\\ndefault/$(touch %1$s/run)\\n' ;;
              *'plugin help -o name') printf 'hostlocal ranges\\nhostlocal release\\nnodeipam show\\n$(touch %1$s/run) x\\n' ;;
              *'eni list -o name') sleep 300; echo eni-late ;;
              *) exit 3 ;;
            esac
            """.formatted(directory));
        assertThat(program.toFile().setExecutable(true)).isTrue();
        Path kubectl = directory.resolve("bin/kubectl");
        Files.writeString(kubectl, """
            #!/bin/sh
            case "$*" in
              '--context=far get nodes -o name') echo node/cn-far ;;
              'get nodes -o name') printf 'node/cn-1\\nnode/cn-2\\n' ;;
              *) exit 1 ;;
            esac
            """);
        assertThat(kubectl.toFile().setExecutable(true)).isTrue();
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        return printed;
    }

    /** What bash offers behind a line, of which the last word is being typed. */
    private static List<String> offered(String line) throws Exception {
        return offered(line, 60);
    }

    /** @param seconds how long a daemon has to list its names */
    private static List<String> offered(String line, int seconds) throws Exception {
        List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
        String quoted =
                String.join(" ", words.stream().map(word -> "'" + word + "'").toList());
        return run(
                        "bash",
                        "--norc",
                        "-c",
                        "ENIPAM_COMPLETION_SECONDS=" + seconds + "; HOME=" + directory + "; . " + directory
                                + "/completion/enipam.bash; PATH=" + directory + "/bin:$PATH; COMP_WORDS=("
                                + quoted + "); COMP_CWORD=" + (words.size() - 1)
                                + "; _enipam; printf '%s\\n' \"${COMPREPLY[@]}\"")
                .lines()
                .filter(word -> !word.isEmpty())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "enipam po             | pool pod",
                "enipam pool i         | idle inuse",
                "enipam plugin swap f  | factory",
                "enipam pool show --ou | --output",
                "enipam pool show -o j | json",
                "enipam -o y           | yaml",
                "enipam --socket /run/x pool s | show sync",
                "enipam help cni ad    | ''",
                "enipam help form      | formats",
                "enipam pool nosuch x  | ''",
                "enipam --output=js            | --output=json",
                "enipam --output = js          | json",
                "enipam pool show --output =   | table json yaml name wide vertical csv",
                "enipam --socket = /run/x pool i | idle inuse",
                "enipam --sandbox --socket=/run/x pool i | idle inuse",
                "enipam --sandbox pool i       | idle inuse",
                "enipam cloud latency assign = 2 | ''"
            })
    void wordsOfTheGrammar(String line, String words) throws Exception {
        List<String> expected =
                Stream.of(words.split(" ")).filter(word -> !word.isEmpty()).toList();

        assertThat(offered(line)).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void podsAreAskedOfTheDaemonThatTheLineNamesAndNothingOfThemIsRun() throws Exception {
        assertThat(offered("enipam --socket /run/x.sock cni del --pod def"))
                .containsExactly("default/web-0", "default/$(touch " + directory + "/run)");
        assertThat(offered("enipam pod show kube")).containsExactly("kube-system/dns");
        assertThat(offered("enipam pod show --")).contains("--output", "--help");

        assertThat(Files.readAllLines(directory.resolve("asked")))
                .contains("--socket=/run/x.sock -c pod list -o name", "-c pod list -o name");
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void commandsOfPluginsAreAskedOfTheDaemonWhereTheGrammarHasNone() throws Exception {
        assertThat(offered("enipam hostlocal ")).containsExactly("ranges", "release");
        assertThat(offered("enipam hostlocal rel")).containsExactly("release");
        assertThat(offered("enipam hostl")).containsExactly("hostlocal");
        assertThat(offered("enipam hostlocal ranges ")).isEmpty();
        assertThat(directory.resolve("run")).doesNotExist();
    }

    @Test
    void theDaemonIsAskedAtTheSocketAsTheProgramWouldReadIt() throws Exception {
        assertThat(offered("enipam --socket ~/x.sock cni del --pod def")).isNotEmpty();
        assertThat(offered("enipam --socket = ~/y.sock pod show def")).isNotEmpty();
        assertThat(offered("enipam --socket=~/z.sock pod show def")).isNotEmpty();
        assertThat(offered("enipam --socket \"/run/q.sock\" pod show def")).isNotEmpty();

        assertThat(Files.readAllLines(directory.resolve("asked")))
                .contains(
                        "--socket=" + directory + "/x.sock -c pod list -o name",
                        "--socket=" + directory + "/y.sock -c pod list -o name",
                        "--socket=/run/q.sock -c pod list -o name");
    }

    @Test
    void nodesAreAskedOfTheClusterThatTheLineNames() throws Exception {
        assumeTrue(isInstalled("timeout"), "timeout is not installed");

        assertThat(offered("enipam --node cn")).containsExactly("cn-1", "cn-2");
        assertThat(offered("enipam --context far --node cn")).containsExactly("cn-far");
        assertThat(offered("enipam --context=far --node cn")).containsExactly("cn-far");
        assertThat(offered("enipam --node cn-1 pool i")).containsExactly("idle", "inuse");
        assertThat(offered("enipam --node cn-1 pod show def")).isEmpty();
    }

    @Test
    void theDaemonOfASandboxThatIsNotThereYetIsNotAskedAndNobodyElseInItsPlace() throws Exception {
        Path asked = directory.resolve("asked");
        long before = Files.exists(asked) ? Files.size(asked) : 0;

        assertThat(offered("enipam --sandbox pod show def")).isEmpty();

        assertThat(Files.exists(asked) ? Files.size(asked) : 0).isEqualTo(before);
    }

    @Test
    void aDaemonThatDoesNotAnswerIsNotWaitedFor() throws Exception {
        assumeTrue(isInstalled("timeout"), "timeout is not installed");

        assertThat(offered("enipam eni show eni", 1)).isEmpty();
    }

    @Test
    void zshReadsItToo() throws Exception {
        assumeTrue(isInstalled("zsh"), "zsh is not installed");

        assertThat(run("zsh", "-f", "-n", directory + "/completion/_enipam")).isEmpty();
    }

    @Test
    void filesAndTheRunbooksThatComeWithTheShell() throws Exception {
        Files.createFile(directory.resolve("a.runbook"));

        assertThat(offered("enipam run " + directory + "/a.r")).containsExactly(directory + "/a.runbook");
        assertThat(offered("enipam run ~/a.r")).containsExactly("~/a.runbook");
        assertThat(offered("enipam run check-n")).containsExactly("check-node");
    }

    @Test
    void bothScriptsAreOnesThatBashReads() throws Exception {
        assertThat(run("bash", "-n", directory + "/completion/enipam.bash")).isEmpty();
        assertThat(run("bash", "-n", directory + "/completion/_enipam")).isEmpty();
        assertThat(Files.readString(directory.resolve("completion/_enipam"))).startsWith("#compdef enipam\n");
    }

    @Test
    void everyCommandHasAPageWithAllItsOptions() throws Exception {
        Path pages = directory.resolve("man/man1");
        String program = Files.readString(pages.resolve("enipam.1"));

        Grammar.leaves(ReferenceMain.grammar()).forEach((name, command) -> {
            Path page = pages.resolve("enipam-" + name.replace(' ', '-') + ".1");
            assertThat(page).content().contains(".SH \"NAME\"", ".SH \"EXAMPLE\"", ".SH \"SEE ALSO\"");
            command.getCommandSpec()
                    .options()
                    .forEach(option ->
                            assertThat(page).content().contains(".B " + option.names()[0].replace("-", "\\-")));
            assertThat(program).contains(".B " + name.replace("-", "\\-") + "\n");
        });
        assertThat(program).doesNotContain("${", "%%");
    }

    @Test
    void manReadsThem() throws Exception {
        assumeTrue(isInstalled("mandoc") || isInstalled("groff"), "neither mandoc nor groff is installed");
        try (Stream<Path> pages = Files.list(directory.resolve("man/man1"))) {
            for (Path page : pages.toList()) {
                String[] reader = isInstalled("mandoc")
                        ? new String[] {"mandoc", "-T", "lint", "-W", "error", page.toString()}
                        : new String[] {"groff", "-man", "-ww", "-z", page.toString()};
                assertThat(run(reader)).as(page.toString()).isEmpty();
            }
        }
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }
}
