package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.enipam.pluginhost.load.PluginCatalog.PluginSearchPath;
import io.enipam.pluginhost.testing.PluginJar;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon of root runs no code that others can replace. The permissions are real; who the daemon is, is not. */
class TrustedPathCheckTest {
    private static final int NOBODY = 65534;

    @TempDir
    Path temporary;

    private Path installed;

    @BeforeEach
    void directory() throws Exception {
        installed = Files.createDirectory(temporary.resolve("plugins"));
        mode("rwxr-xr-x", installed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-rw-r--", "rw-r--rw-", "rw--w----"})
    void aJarThatOthersMayWriteIsRefused(String mode) throws Exception {
        Path jar = mode(mode, PluginJar.of("open").plugin("").write(installed));
        mode("rw-r--r--", PluginJar.of("tight").plugin("").write(installed));

        try (PluginCatalog catalog = load(true)) {
            assertThat(catalog.plugins()).extracting(p -> p.manifest().id()).containsExactly("tight");
            assertThat(catalog.rejected()).singleElement().satisfies(rejected -> {
                assertThat(rejected.name()).isEqualTo("open-1.0.0.jar");
                assertThat(rejected.cause())
                        .contains(mode)
                        .contains("this daemon is root")
                        .endsWith("run: chmod go-w '" + jar.toRealPath() + "'");
            });
        }
    }

    @Test
    void theCommandItNamesMendsIt() throws Exception {
        mode("rw-rw-rw-", PluginJar.of("open").plugin("").write(installed));
        String cause;
        try (PluginCatalog catalog = load(true)) {
            cause = catalog.rejected().get(0).cause();
        }
        String command = cause.substring(cause.indexOf("run: ") + 5);

        assertThat(new ProcessBuilder("sh", "-c", command).start().waitFor()).isZero();

        try (PluginCatalog catalog = load(true)) {
            assertThat(catalog.plugins()).hasSize(1);
        }
    }

    @Test
    void aDirectoryInWhichOthersMayPutJarsIsRefused() throws Exception {
        Path home = mode("rwxrwxr-x", Files.createDirectory(installed.resolve("open")));
        mode("rw-r--r--", PluginJar.of("open").plugin("").write(home));

        try (PluginCatalog catalog = load(true)) {
            assertThat(catalog.plugins()).isEmpty();
            assertThat(catalog.rejected().get(0).cause()).endsWith("run: chmod go-w '" + home.toRealPath() + "'");
        }
    }

    @Test
    void whereOthersMayInstallPluginsNoneIsRun() throws Exception {
        mode("rw-r--r--", PluginJar.of("tight").plugin("").write(installed));
        mode("rwxrwxrwx", installed);

        try (PluginCatalog catalog = load(true)) {
            assertThat(catalog.plugins()).isEmpty();
            assertThat(catalog.rejected().get(0).cause()).endsWith("run: chmod go-w '" + installed.toRealPath() + "'");
        }
    }

    @Test
    void aLinkIsJudgedByWhatItLeadsTo() throws Exception {
        Path jar = mode("rw-rw-rw-", PluginJar.of("open").plugin("").write(temporary.resolve("elsewhere")));
        Files.createSymbolicLink(installed.resolve("open.jar"), jar);

        try (PluginCatalog catalog = load(true)) {
            assertThat(catalog.rejected().get(0).cause()).endsWith("run: chmod go-w '" + jar.toRealPath() + "'");
        }
    }

    @Test
    void aDaemonThatIsNotRootRunsWhatItsUserSays() throws Exception {
        mode("rw-rw-rw-", PluginJar.of("open").plugin("").write(installed));

        try (PluginCatalog catalog = load(false)) {
            assertThat(catalog.plugins()).hasSize(1);
        }
    }

    @Test
    void aNamedJarInADirectoryThatOthersMayWriteIsRefused() throws Exception {
        Path home = Files.createDirectories(temporary.resolve("opt/x"));
        Path jar = mode("rw-r--r--", PluginJar.of("tight").plugin("").write(home));
        mode("rwxrwxr-x", home);
        assertThat(refusal(jar)).endsWith("run: chmod go-w '" + home.toRealPath() + "'");

        mode("rwxr-xr-x", home);
        mode("rwxr-xrwx", home.getParent());
        assertThat(refusal(jar))
                .as("who may rename the directory may replace what is in it")
                .endsWith("run: chmod go-w '" + home.getParent().toRealPath() + "'");
    }

    @Test
    void whatBelongsToAnotherUserIsRefusedAndTheCommandItNamesMendsIt() throws Exception {
        Path home = Files.createDirectories(temporary.resolve("opt/it's"));
        Path jar = mode("rw-r--r--", PluginJar.of("tight").plugin("").write(home));
        for (Path given : List.of(jar, home, home.getParent())) {
            give(given);
            String cause = refusal(jar);
            assertThat(cause).startsWith(given.toRealPath() + " belongs to user " + NOBODY);
            String command = cause.substring(cause.indexOf("run: ") + 5);
            assertThat(command).startsWith("chown -h root ");
            assertThat(new ProcessBuilder("sh", "-c", command).start().waitFor())
                    .isZero();
        }
        try (PluginCatalog catalog =
                load(true, new PluginSearchPath(Optional.empty(), List.of(jar), PluginInstallation.noClassPath()))) {
            assertThat(catalog.plugins()).hasSize(1);
        }
    }

    @Test
    void aLinkIsJudgedByAllThatItLeadsThrough() throws Exception {
        Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere/deep"));
        mode("rw-r--r--", PluginJar.of("tight").plugin("").write(elsewhere));
        Path middle = Files.createSymbolicLink(temporary.resolve("middle"), Path.of("elsewhere/../elsewhere/deep"));
        Path link = Files.createSymbolicLink(temporary.resolve("link.jar"), Path.of("middle/tight-1.0.0.jar"));
        mode("rwxrwxrwx", elsewhere.getParent());
        assertThat(refusal(link))
                .endsWith("run: chmod go-w '" + elsewhere.getParent().toRealPath() + "'");

        mode("rwxr-xr-x", elsewhere.getParent());
        give(middle);
        assertThat(refusal(link))
                .startsWith(middle + " belongs to user ")
                .endsWith("run: chown -h root '" + middle + "'");
    }

    @Test
    void aDirectoryWithTheStickyBitKeepsWhatIsInItAndIsNoPluginItself() throws Exception {
        Path shared = Files.createDirectory(temporary.resolve("shared"));
        Path jar = mode("rw-r--r--", PluginJar.of("tight").plugin("").write(shared));
        Files.setAttribute(shared, "unix:mode", 01777);
        try (PluginCatalog catalog =
                load(true, new PluginSearchPath(Optional.empty(), List.of(jar), PluginInstallation.noClassPath()))) {
            assertThat(catalog.rejected()).isEmpty();
            assertThat(catalog.plugins()).hasSize(1);
        }
        assertThat(refusal(shared)).endsWith("run: chmod go-w '" + shared.toRealPath() + "'");
        give(jar);
        assertThat(refusal(jar)).startsWith(jar.toRealPath() + " belongs to user ");
    }

    @Test
    void aClassPathThatOthersCanReplaceIsToldOnceForEachPlaceAndRuns() throws Exception {
        Path lib = Files.createDirectory(temporary.resolve("lib"));
        Path one = mode("rw-r--r--", PluginJar.of("one").plugin("").write(lib));
        Path two = mode("rw-rw-r--", PluginJar.of("two").plugin("").write(lib));
        TrustedPathCheck files = new TrustedPathCheck(true, trusted());
        assertThat(files.complaints(List.of(one, two)))
                .singleElement()
                .asString()
                .contains(two.toString());
        mode("rwxrwxrwx", lib);
        assertThat(files.complaints(List.of(one, two)))
                .as("the directory is told once")
                .hasSize(2)
                .anySatisfy(told -> assertThat(told).contains("chmod go-w '" + lib + "'"));
        assertThat(new TrustedPathCheck(false, Set.of()).complaints(List.of(one, two)))
                .isEmpty();
    }

    private PluginCatalog load(boolean root) {
        return load(root, new PluginSearchPath(Optional.of(installed), List.of(), PluginInstallation.noClassPath()));
    }

    private PluginCatalog load(boolean root, PluginSearchPath places) {
        TrustedPathCheck replaceable = new TrustedPathCheck(root, trusted());
        PluginLoader loader =
                new PluginLoader(PluginJar.SDK_VERSION, PluginInstallation.PATIENT, replaceable, LoadingRecord.none());
        return PluginCatalog.find(places, Set.of(), loader).loadAll();
    }

    private Set<Integer> trusted() {
        return new HashSet<>(List.of(0, uid(temporary)));
    }

    private static int uid(Path file) {
        try {
            return (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String refusal(Path named) {
        try (PluginCatalog catalog =
                load(true, new PluginSearchPath(Optional.empty(), List.of(named), PluginInstallation.noClassPath()))) {
            assertThat(catalog.plugins()).isEmpty();
            return catalog.rejected().get(0).cause();
        }
    }

    /** Gives it away, which root alone can. */
    private static void give(Path file) throws IOException {
        assumeTrue(uid(Path.of("/proc/self")) == 0, "files are given away by root alone");
        Files.setAttribute(file, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
    }

    private static Path mode(String mode, Path file) throws Exception {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
}
