package io.enipam.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** enipam-cni-install as it ships, on a node's directories. */
@Timeout(120)
class CniInstallTest {
    private static final String SCRIPT = Checkout.ROOT + "/runtime/bin/enipam-cni-install";
    private static final Path CONFLIST = Checkout.ROOT.resolve("runtime/deploy/cni/10-enipam.conflist");

    @TempDir
    Path node;

    private Path image;
    private Path bin;
    private Path conf;
    private Path installed;
    private Path configured;

    @BeforeEach
    void places() throws IOException {
        image = Files.createDirectories(node.resolve("image"));
        bin = node.resolve("opt/cni/bin");
        conf = node.resolve("etc/cni/net.d");
        installed = bin.resolve("enipam-cni");
        configured = conf.resolve("10-enipam.conflist");
    }

    private void front(String name, String text) throws IOException {
        Path file = Files.writeString(image.resolve(name), text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Program install(String... more) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(SCRIPT, "--bin", bin.toString(), "--conf", conf.toString(), "--conflist", CONFLIST.toString()));
        command.addAll(List.of(more));
        command.addAll(List.of("--from", image.toString()));
        return Program.run(node, Map.of(), command);
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    private static Object inode(Path file) throws IOException {
        return Files.getAttribute(file, "unix:ino");
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void isNoNews(Program program) {
        assertThat(program).isEqualTo(new Program(0, "", ""));
    }

    @Test
    void theExecutableAndThenTheConfigurationAreThereAndNothingHalfWritten() throws Exception {
        front("enipam-cni", "v1");

        Program program = install();

        assertThat(program.err()).isEmpty();
        assertThat(program.status()).isZero();
        assertThat(program.out().lines())
                .containsExactly("enipam-cni-install: wrote " + installed, "enipam-cni-install: wrote " + configured);
        assertThat(installed).hasContent("v1");
        assertThat(mode(installed)).isEqualTo("rwxr-xr-x");
        assertThat(configured).hasSameTextualContentAs(CONFLIST);
        assertThat(mode(configured)).isEqualTo("rw-r--r--");
        assertThat(names(bin)).containsExactly(".enipam-installed", "enipam-cni");
        assertThat(names(conf)).containsExactly(".enipam-installed", "10-enipam.conflist");
    }

    @Test
    void whatIsAsItShouldBeIsNotTouchedByTheNextPod() throws Exception {
        front("enipam-cni", "v1");
        install();
        Object before = List.of(inode(installed), inode(configured));

        isNoNews(install());

        assertThat(List.of(inode(installed), inode(configured))).isEqualTo(before);
    }

    @Test
    void aNewVersionIsAnotherFileSoThatACallUnderWayGoesOnWithTheOldOne() throws Exception {
        front("enipam-cni", "v1");
        install();
        Object before = inode(installed);
        front("enipam-cni", "v2");

        assertThat(install().out()).isEqualTo("enipam-cni-install: wrote " + installed + "\n");

        assertThat(installed).hasContent("v2");
        assertThat(inode(installed)).isNotEqualTo(before);
    }

    @Test
    void aModeThatWasLostIsSetAgainAndThatOfAHardenedConfigurationIsKept() throws Exception {
        front("enipam-cni", "v1");
        install();
        Files.setPosixFilePermissions(installed, PosixFilePermissions.fromString("rw-r--r--"));
        Files.writeString(configured, "{}");
        Files.setPosixFilePermissions(configured, PosixFilePermissions.fromString("rw-------"));

        assertThat(install().status()).isZero();

        assertThat(mode(installed)).isEqualTo("rwxr-xr-x");
        assertThat(mode(configured)).isEqualTo("rw-------");
        assertThat(configured).hasSameTextualContentAs(CONFLIST);
    }

    @Test
    void aFileThatIsReplacedKeepsItsOwner() throws Exception {
        assumeTrue(isRoot(), "only root may give files away");
        front("enipam-cni", "v1");
        install();
        Files.writeString(configured, "{}");
        Files.setAttribute(configured, "unix:uid", 12345);
        Files.setAttribute(configured, "unix:gid", 54321);

        install();

        assertThat(Files.getAttribute(configured, "unix:uid")).isEqualTo(12345);
        assertThat(Files.getAttribute(configured, "unix:gid")).isEqualTo(54321);
        assertThat(configured).hasSameTextualContentAs(CONFLIST);
    }

    @Test
    void anImageWithoutAFrontLeavesTheNodeAsItIsAndSaysSo() throws Exception {
        Program program = install();

        assertThat(program.status()).isZero();
        assertThat(program.err()).isEmpty();
        assertThat(program.out()).contains("pods are not served by this image").hasLineCount(1);
        assertThat(bin).doesNotExist();
        assertThat(conf).doesNotExist();
    }

    @Test
    void aConfigurationThatNamesAMissingExecutableIsNotInstalled() throws Exception {
        front("enipam-cni", "v1");
        Path chain = Files.writeString(
                node.resolve("chain.conflist"),
                "{\"plugins\": [{\"type\": \"enipam-cni\"}, {\"type\" : \"bandwidth\"}]}\n");

        Program program = install("--conflist", chain.toString());

        assertThat(program.status()).isEqualTo(1);
        assertThat(program.err()).contains("names 'bandwidth'").hasLineCount(1);
        assertThat(configured).doesNotExist();

        Files.createFile(
                bin.resolve("bandwidth"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        assertThat(install("--conflist", chain.toString()).status()).isZero();
        assertThat(configured).hasSameTextualContentAs(chain);
    }

    @Test
    void whatAKilledInstallerLeftIsSweptAway() throws Exception {
        front("enipam-cni", "v1");
        Files.createDirectories(bin);
        Files.writeString(bin.resolve(".enipam-new.Ab12Cd"), "half");

        install();

        assertThat(names(bin)).containsExactly(".enipam-installed", "enipam-cni");
    }

    @Test
    void aConfigurationThatTheRuntimeWouldTakeBeforeOursIsTold() throws Exception {
        front("enipam-cni", "v1");
        Files.createDirectories(conf);
        Files.writeString(conf.resolve("05-other.conf"), "{}");
        Files.writeString(conf.resolve("99-loopback.conf"), "{}");

        Program program = install();

        assertThat(program.status()).isZero();
        assertThat(program.err()).contains("05-other.conf, which comes before").hasLineCount(1);
    }

    @Test
    void theJarOfTheFrontInJavaComesBeforeItsScriptAndNeedsNoRightToRun() throws Exception {
        front("enipam-cni", "script");
        Files.writeString(image.resolve("enipam-cni.jar"), "jar");

        assertThat(install().out().lines())
                .containsExactly(
                        "enipam-cni-install: wrote " + bin.resolve("enipam-cni.jar"),
                        "enipam-cni-install: wrote " + installed,
                        "enipam-cni-install: wrote " + configured);
        assertThat(mode(bin.resolve("enipam-cni.jar"))).isEqualTo("rw-r--r--");
    }

    @Test
    void aSocketThatIsNotAtTheUsualPlaceIsToldToTheFrontUntilItIsThereAgain() throws Exception {
        front("enipam-cni", "v1");

        assertThat(install("--socket", "/run/other.sock").status()).isZero();
        assertThat(bin.resolve("enipam-cni.socket")).hasContent("/run/other.sock");
        isNoNews(install("--socket", "/run/other.sock"));

        assertThat(install().out())
                .isEqualTo("enipam-cni-install: took away " + bin.resolve("enipam-cni.socket") + "\n");
        assertThat(bin.resolve("enipam-cni.socket")).doesNotExist();
        assertThat(install("--socket", "other.sock").status()).isEqualTo(2);
    }

    @Test
    void everyRuntimeFindsAVersionThatItSpeaksAndOneThatShapesTrafficSaysHowMuch() throws Exception {
        com.fasterxml.jackson.databind.JsonNode list =
                new com.fasterxml.jackson.databind.ObjectMapper().readTree(Files.readString(CONFLIST));

        // kubelets of 1.20 know 0.4.0 and no cniVersions; who knows that takes the latest, and with it GC and STATUS
        assertThat(list.get("cniVersion").asText()).isEqualTo("0.4.0");
        assertThat(list.get("cniVersions")).hasToString("[\"0.4.0\",\"1.0.0\",\"1.1.0\"]");
        assertThat(list.at("/plugins/0/type").asText()).isEqualTo("enipam-cni");
        assertThat(list.at("/plugins/0/capabilities")).hasToString("{\"bandwidth\":true}");
    }

    @Test
    void uninstallingTakesAwayWhatWasWrittenAndNothingElse() throws Exception {
        front("enipam-cni", "v1");
        install();
        Files.writeString(bin.resolve("loopback"), "another's");
        Files.writeString(conf.resolve("99-loopback.conf"), "another's");

        Program program = install("--uninstall");

        assertThat(program.err()).isEmpty();
        assertThat(program.status()).isZero();
        assertThat(names(bin)).containsExactly("loopback");
        assertThat(names(conf)).containsExactly("99-loopback.conf");
        isNoNews(install("--uninstall"));
    }

    @Test
    void uninstallingLeavesAFileThatSomebodyElseHasChangedSince() throws Exception {
        front("enipam-cni", "v1");
        install();
        Files.writeString(configured, "{\"mine\": true}");

        Program program = install("--uninstall");

        assertThat(program.status()).isZero();
        assertThat(program.err())
                .contains(configured + " was changed by somebody else and stays")
                .hasLineCount(1);
        assertThat(configured).hasContent("{\"mine\": true}");
        assertThat(installed).doesNotExist();
    }

    @Test
    void aPlaceThatCannotBeWrittenIsOneClearLine() throws Exception {
        front("enipam-cni", "v1");
        bin = Path.of("/proc/enipam");

        Program program = install();

        assertThat(program.status()).isEqualTo(1);
        assertThat(program.err())
                .startsWith("enipam-cni-install: ")
                .contains("/proc/enipam")
                .hasLineCount(1);
        assertThat(configured).doesNotExist();
    }

    @Test
    void aFullDiskLeavesTheOldExecutableAndIsOneClearLine() throws Exception {
        assumeTrue(isRoot(), "only root may mount a small file system");
        front("enipam-cni", "v1");
        Files.createDirectories(bin);
        Program mounted =
                Program.run(node, Map.of(), List.of("mount", "-t", "tmpfs", "-o", "size=64k", "tiny", bin.toString()));
        assumeTrue(mounted.status() == 0, "no file system can be mounted here: " + mounted.err());
        try {
            install();
            front("enipam-cni", "v2".repeat(100_000));

            Program program = install();

            assertThat(program.status()).isEqualTo(1);
            assertThat(program.err()).contains("No space left on device").hasLineCount(1);
            assertThat(installed).hasContent("v1");
            assertThat(names(bin)).containsExactly(".enipam-installed", "enipam-cni");
        } finally {
            Program.run(node, Map.of(), List.of("umount", "-l", bin.toString()));
        }
    }

    @Test
    void aFileSystemThatMayOnlyBeReadIsOneClearLine() throws Exception {
        assumeTrue(isRoot(), "only root may mount a file system");
        front("enipam-cni", "v1");
        Files.createDirectories(bin);
        Program mounted = Program.run(
                node, Map.of(), List.of("mount", "-t", "tmpfs", "-o", "size=64k,ro", "tiny", bin.toString()));
        assumeTrue(mounted.status() == 0, "no file system can be mounted here: " + mounted.err());
        try {
            Program program = install();

            assertThat(program.status()).isEqualTo(1);
            assertThat(program.err()).contains("Read-only file system").hasLineCount(1);
            assertThat(configured).doesNotExist();
        } finally {
            Program.run(node, Map.of(), List.of("umount", "-l", bin.toString()));
        }
    }

    @Test
    void anOptionThatIsNotThereIsWrongUsage() throws Exception {
        assertThat(install("--force").status()).isEqualTo(2);
        assertThat(install("--force").err()).contains("'--force' is unknown").hasLineCount(1);
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }
}
