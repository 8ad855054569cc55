package io.enipam.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The image of what the build has made, on a base that the test makes: unpacked, and its programs run by this JDK. */
@Timeout(300)
class ImageIT {
    @TempDir
    static Path directory;

    private static ImageTar image;
    private static Path root;

    @BeforeAll
    static void builtAndUnpacked() throws Exception {
        Path tar = directory.resolve("image.tar");
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = new ImageMain(new PrintStream(said, true, StandardCharsets.UTF_8))
                .run(
                        Checkout.ROOT.toString(),
                        tar.toString(),
                        "0.1.0",
                        "2026-11-21T00:00:00Z",
                        "amd64",
                        "offline=true",
                        "base=" + TestBaseImage.in(directory));
        assertThat(said.toString(StandardCharsets.UTF_8))
                .startsWith("enipam-image: enipam:0.1.0 is " + tar + ", sha256:")
                .hasLineCount(1);
        assertThat(status).isZero();
        image = ImageTar.read(tar);
        root = directory.resolve("root");
        image.unpack(root);
    }

    private static Program run(String program, String... args) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(root.resolve("opt/enipam").resolve(program).toString()));
        command.addAll(List.of(args));
        return Program.run(directory, Map.of("JAVA_HOME", System.getProperty("java.home")), command);
    }

    @Test
    void noClassIsThereTwiceAndNoTestSourceOrSecretIsThereAtAll() throws Exception {
        Set<String> names = new HashSet<>();
        for (ImageTar.Entry entry : image.files()) {
            String name = Path.of(entry.path()).getFileName().toString();
            assertThat(entry.path())
                    .doesNotMatch(".*(-tests?|-sources|-javadoc)\\.jar")
                    .doesNotMatch(".*\\.(java|pem|key|p12|jks|env)")
                    .doesNotContain("eni.json", "credential", "server-mock", "junit", "jib");
            if (name.endsWith(".jar")) {
                // a plugin brings its own libraries, which the daemon's do not see
                boolean ofPlugin = entry.path().contains(ImageContents.NODE_IPAM);
                assertThat(ofPlugin || names.add(name))
                        .as("%s is there once", name)
                        .isTrue();
                if (name.startsWith("enipam-")) {
                    assertThat(classes(entry.bytes()))
                            .isNotEmpty()
                            .noneMatch(file -> file.endsWith(".java") || file.matches(".*/\\w+(Test|IT)\\.class"));
                }
            }
        }
        assertThat(names).contains("enipam-daemon-0.1.0.jar", "enipam-shell-0.1.0.jar", "enipam-protocol-0.1.0.jar");
    }

    private static List<String> classes(byte[] jar) throws Exception {
        List<String> files = new ArrayList<>();
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(jar))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                files.add(entry.getName());
            }
        }
        return files;
    }

    @Test
    void theDaemonRunsFromTheImageSFilesAlone() throws Exception {
        assertThat(run("runtime/bin/enipamd", "--version")).isEqualTo(new Program(0, "enipamd 0.1.0\n", ""));
    }

    @Test
    void aSandboxOfTheImageSOwnDaemonServesTheImageSOwnShell() throws Exception {
        Program shell = run(
                "shell/bin/enipam", "--sandbox", "-c", "cni add --pod default/web-0; pool inuse --columns pod,address");

        assertThat(shell.err()).isEmpty();
        assertThat(shell.status()).isZero();
        assertThat(shell.out()).containsPattern("default/web-0 +10\\.0\\.0\\.\\d+/24");
    }

    @Test
    void theInstallerPutsTheImageSFrontOnTheNodeAndTheFrontRunsThere() throws Exception {
        Path bin = directory.resolve("bin");
        Path conf = directory.resolve("conf");

        Program installer = run(
                "runtime/bin/enipam-cni-install",
                "--bin",
                bin.toString(),
                "--conf",
                conf.toString(),
                "--socket",
                directory.resolve("cni.sock").toString());

        assertThat(installer.err()).isEmpty();
        assertThat(installer.status()).isZero();
        assertThat(conf.resolve("10-enipam.conflist"))
                .hasSameTextualContentAs(Checkout.ROOT.resolve("runtime/deploy/cni/10-enipam.conflist"));
        Map<String, String> environment =
                Map.of("JAVA_HOME", System.getProperty("java.home"), "CNI_COMMAND", "VERSION");
        Program front = Program.run(
                directory, environment, List.of(bin.resolve("enipam-cni").toString()));
        assertThat(front.out()).startsWith("{\"cniVersion\":\"1.1.0\",\"supportedVersions\":[\"0.1.0\",");
        assertThat(front.status()).isZero();
        Program add = Program.run(
                directory,
                Map.of("CNI_COMMAND", "ADD"),
                List.of(bin.resolve("enipam-cni").toString()));
        assertThat(add.out())
                .contains("\"code\":11,", "cannot be reached at " + directory.resolve("cni.sock") + ": No such file");
    }
}
