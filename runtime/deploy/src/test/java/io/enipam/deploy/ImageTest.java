package io.enipam.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The image of a small checkout on a base that the test makes; no registry is asked. */
@Timeout(120)
class ImageTest {
    private static final String CREATED = "2026-11-21T00:00:00Z";

    @TempDir
    Path directory;

    private Checkout checkout;
    private String base;
    private int builds;

    @BeforeEach
    void aCheckoutAndABase() throws Exception {
        checkout = Checkout.in(directory.resolve("home"));
        base = TestBaseImage.in(directory);
    }

    private record Built(ImageBuild.Made made, Path tar, ImageTar image) {}

    /** Builds with a cache of its own, so that nothing of an earlier image is used. */
    private Built build() throws IOException, InterruptedException {
        builds++;
        Path scratch = Files.createDirectory(directory.resolve("scratch" + builds));
        Path tar = directory.resolve("image" + builds + ".tar");
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            ImageBuild.Made made = new ImageBuild(
                            base,
                            "0.1.0",
                            Instant.parse(CREATED),
                            "amd64",
                            true,
                            Optional.of(directory.resolve("cache" + builds)))
                    .to(tar, new ImageContents(checkout.home(), scratch).layers(), threads);
            return new Built(made, tar, ImageTar.read(tar));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aContainerStartsTheDaemonAsRootWithTheEnvironmentOfTheBase() throws Exception {
        ImageTar image = build().image();

        assertThat(image.tags()).containsExactly("enipam:0.1.0");
        assertThat(image.created()).isEqualTo(CREATED);
        assertThat(image.config().at("/Entrypoint")).hasToString("[\"/opt/enipam/runtime/bin/enipamd\"]");
        assertThat(image.config().path("Cmd").size()).isZero();
        assertThat(image.config().at("/User").asText()).isEqualTo("0:0");
        assertThat(image.config().at("/WorkingDir").asText()).isEqualTo("/");
        assertThat(image.config().at("/Env"))
                .extracting(word -> word.asText())
                .containsExactlyInAnyOrder(
                        "JAVA_HOME=/opt/java/openjdk", "PATH=/opt/java/openjdk/bin:/usr/local/bin:/usr/bin:/bin");
        assertThat(image.config().at("/Labels/org.opencontainers.image.version").asText())
                .isEqualTo("0.1.0");
        assertThat(image.config()
                        .at("/Labels/org.opencontainers.image.licenses")
                        .asText())
                .isEqualTo("Apache-2.0");
    }

    @Test
    void eachJarIsThereOnceInLayersByHowOftenTheyChangeAndNothingElseOfTheBuild() throws Exception {
        ImageTar image = build().image();

        assertThat(image.files())
                .extracting(entry -> entry.layer() + " " + entry.path())
                .containsExactlyInAnyOrder(
                        "0 /etc/os-release",
                        "1 /opt/enipam/lib/jline-3.jar",
                        "1 /opt/enipam/lib/netty-1.jar",
                        "2 /opt/enipam/cluster-plugins/node-ipam/enipam-example-node-ipam-0.1.0.jar",
                        "2 /opt/enipam/cluster-plugins/node-ipam/jackson-1.jar",
                        "2 /opt/enipam/lib/daemon.classes",
                        "2 /opt/enipam/lib/daemon.jars",
                        "2 /opt/enipam/lib/daemon.sum",
                        "2 /opt/enipam/lib/enipam-daemon-0.1.0.jar",
                        "2 /opt/enipam/lib/enipam-engine-0.1.0.jar",
                        "2 /opt/enipam/lib/enipam-protocol-0.1.0.jar",
                        "2 /opt/enipam/lib/enipam-shell-0.1.0.jar",
                        "2 /opt/enipam/lib/shell.jars",
                        "2 /opt/enipam/lib/shell.sum",
                        "3 /opt/enipam/cni/10-enipam.conflist",
                        "3 /opt/enipam/runtime/bin/enipam-archive",
                        "3 /opt/enipam/runtime/bin/enipam-cni-install",
                        "3 /opt/enipam/runtime/bin/enipamd",
                        "3 /opt/enipam/runtime/bin/launch.sh",
                        "3 /opt/enipam/shell/bin/enipam",
                        "3 /usr/local/bin/enipam",
                        "3 /usr/local/bin/enipam-archive",
                        "3 /usr/local/bin/enipam-cni-install",
                        "3 /usr/local/bin/enipamd");
        assertThat(image.entry("/opt/enipam/plugins").directory()).isTrue();
        assertThat(image.entry("/opt/enipam/cni/bin").directory()).isTrue();
        assertThat(image.files()).filteredOn(entry -> entry.layer() > 0).allSatisfy(entry -> {
            assertThat(entry.mode()).as(entry.path()).isEqualTo(entry.path().contains("/bin/") ? 0755 : 0644);
            assertThat(entry.owner()).as(entry.path()).isZero();
            assertThat(entry.modified()).as(entry.path()).isEqualTo(Instant.ofEpochSecond(1));
        });
        assertThat(new String(image.entry("/opt/enipam/lib/daemon.jars").bytes(), StandardCharsets.UTF_8))
                .isEqualTo(
                        "enipam-daemon-0.1.0.jar\nenipam-engine-0.1.0.jar\nenipam-protocol-0.1.0.jar\nnetty-1.jar\n");
        assertThat(text(image, "daemon.classes")).isEqualTo("java/lang/Object\n");
    }

    private static String text(ImageTar image, String file) {
        return new String(image.entry("/opt/enipam/lib/" + file).bytes(), StandardCharsets.UTF_8);
    }

    @Test
    void theSumOfAProgramSJarsIsAnotherWhenOneOfThemIs() throws Exception {
        ImageTar before = build().image();
        checkout.write("runtime/daemon/target/lib/enipam-engine-0.1.0.jar", "enginE");
        ImageTar after = build().image();

        assertThat(text(before, "daemon.sum")).matches("[0-9a-f]{64}\n").isNotEqualTo(text(after, "daemon.sum"));
        assertThat(text(after, "shell.sum")).isEqualTo(text(before, "shell.sum"));
    }

    @Test
    void theSameFilesAreTheSameImageBitByBitWheneverTheyWereMade() throws Exception {
        Built first = build();
        Files.setLastModifiedTime(
                checkout.home().resolve("shell/target/lib/jline-3.jar"),
                FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        Built second = build();

        assertThat(second.made()).isEqualTo(first.made());
        assertThat(Files.mismatch(first.tar(), second.tar())).isEqualTo(-1);
    }

    @Test
    void aNewVersionOfOursLeavesBaseLibrariesAndProgramsAsNodesHaveThem() throws Exception {
        List<String> before = build().image().layers();
        checkout.write("runtime/daemon/target/enipam-daemon-0.1.0.jar", "a better daemon");
        List<String> after = build().image().layers();

        assertThat(after).hasSize(4);
        assertThat(List.of(after.get(0), after.get(1), after.get(3)))
                .containsExactly(before.get(0), before.get(1), before.get(3));
        assertThat(after.get(2)).isNotEqualTo(before.get(2));
    }

    @Test
    void whatACompilerBuiltIsWhereTheInstallerAndTheDaemonLook() throws Exception {
        Path front = checkout.write("runtime/cni/target/bin/enipam-cni", "front");
        assertThat(front.toFile().setExecutable(true)).isTrue();

        checkout.write("runtime/cni/target/bin/enipam-cni.jar", "jar");
        checkout.write("runtime/datapath/target/bin/enipam-netlink", "helper");
        checkout.write("sdk/ranges/target/bin/enipam-flock", "locks");

        ImageTar image = build().image();
        assertThat(image.entry("/opt/enipam/cni/bin/enipam-cni").mode()).isEqualTo(0755);
        assertThat(image.entry("/opt/enipam/cni/bin/enipam-cni.jar").mode()).isEqualTo(0644);
        assertThat(image.entry("/opt/enipam/lib/enipam-netlink").mode()).isEqualTo(0755);
        assertThat(image.entry("/opt/enipam/lib/enipam-flock").mode()).isEqualTo(0755);
    }

    @Test
    void aFrontThatNoNodeOfTheImageCouldRunOrThatNeedsJavaThereIsTold() throws Exception {
        Path bin = directory.resolve("front");
        assertThat(CniPluginFiles.remark(bin, "amd64"))
                .hasValue("no CNI front is built, and this image serves no pods");

        Files.createDirectories(bin);
        Path front = Files.writeString(bin.resolve("enipam-cni"), "#!/bin/sh and more than twenty bytes");
        assertThat(CniPluginFiles.remark(bin, "amd64"))
                .hasValueSatisfying(text -> assertThat(text).contains("the nodes need a Java 17"));

        byte[] elf = new byte[64];
        System.arraycopy(new byte[] {0x7f, 'E', 'L', 'F'}, 0, elf, 0, 4);
        elf[18] = 62;
        Files.write(front, elf);
        assertThat(CniPluginFiles.remark(bin, "amd64")).isEmpty();
        assertThatThrownBy(() -> CniPluginFiles.remark(bin, "arm64"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is for amd64 and the image for arm64: name a compiler");
    }

    @Test
    void aModuleThatIsNotBuiltAndJarsThatDifferAreTold() throws Exception {
        checkout.write("shell/target/lib/netty-1.jar", "another netty");
        assertThatThrownBy(this::build).isInstanceOf(IOException.class).hasMessageContaining("are not the same");

        Files.delete(checkout.home().resolve("runtime/daemon/target/enipam-daemon-0.1.0.jar"));
        assertThatThrownBy(this::build)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("runtime/daemon is not built");
    }

    private record Said(int status, String text) {}

    private Said run(String base) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String[] args = {
            checkout.home().toString(),
            directory.resolve("out/image.tar").toString(),
            "0.1.0",
            CREATED,
            "amd64",
            "offline=true",
            "base=" + base
        };
        int status = new ImageMain(new PrintStream(out, true, StandardCharsets.UTF_8)).run(args);
        return new Said(status, out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aBaseThatWasNamedAndCannotBeHadFailsTheStepWithOneLineAndLeavesNoOlderImage() throws Exception {
        Path old = checkout.write("../out/image.tar", "an image of yesterday");

        Said said = run("tar:///no/such/base.tar");

        assertThat(said.status()).isEqualTo(1);
        assertThat(said.text()).startsWith("enipam-image: no image").hasLineCount(1);
        assertThat(old).doesNotExist();
    }

    @Test
    void aRegistryThatTakesTheConnectionAndSaysNothingHoldsNobodyForLong() throws Exception {
        try (ServerSocket silent = new ServerSocket(0)) {
            Optional<String> trouble =
                    new RegistryProbe(Duration.ofMillis(300)).problem("127.0.0.1:" + silent.getLocalPort() + "/jdk:17");

            assertThat(trouble).isPresent();
        }
    }

    @Test
    void aRegistryThatAnswersAtAllIsOneAndAFileNeedsNone() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v2/", exchange -> {
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
        });
        server.start();
        try {
            RegistryProbe registry = new RegistryProbe(Duration.ofSeconds(30));
            assertThat(registry.problem("127.0.0.1:" + server.getAddress().getPort() + "/jdk:17"))
                    .isEmpty();
            assertThat(registry.problem("tar:///some/where.tar")).isEmpty();
            assertThat(registry.problem("no NAME!")).isPresent();
        } finally {
            server.stop(0);
        }
    }
}
