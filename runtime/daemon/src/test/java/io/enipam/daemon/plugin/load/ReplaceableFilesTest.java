package io.enipam.daemon.plugin.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.daemon.plugin.testing.PluginJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon of root runs no code that others can replace. The permissions are real; who the daemon is, is not. */
class ReplaceableFilesTest {
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

    private PluginCatalog load(boolean root) {
        ReplaceableFiles replaceable = new ReplaceableFiles(root, file -> Files.getPosixFilePermissions(file));
        PluginPlaces places = new PluginPlaces(Optional.of(installed), List.of(), Installation.noClassPath());
        return new PluginLoading(PluginJar.SDK_VERSION, Set.of(), Installation.PATIENT, replaceable).load(places);
    }

    private static Path mode(String mode, Path file) throws Exception {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
}
