package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.enipam.pluginhost.load.PluginIdentity.JarMetadata;
import io.enipam.pluginhost.testing.PluginJar;
import java.io.OutputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertPath;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars with a signature, as some vendors ship them: rewriting a class does not break it, and changing a jar does. */
class SignedJarTest {
    private static final char[] PASSWORD = "not-a-secret".toCharArray();

    @TempDir
    static Path keys;

    @TempDir
    Path temporary;

    @AutoClose
    private PluginInstallation daemon;

    @BeforeAll
    static void makeAKey() throws Exception {
        int ended = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "vendor",
                        "-dname",
                        "CN=vendor",
                        "-keyalg",
                        "EC",
                        "-keystore",
                        keys.resolve("keys.p12").toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(keys.resolve("keytool.log").toFile())
                .start()
                .waitFor();
        assertThat(ended).as("keytool, whose output is in keytool.log").isZero();
    }

    @BeforeEach
    void directory() throws Exception {
        daemon = new PluginInstallation(Files.createDirectory(temporary.resolve("plugins")));
    }

    @Test
    void aSignedClassIsRewrittenAndKeepsItsSigner() throws Exception {
        install(signed());
        PluginClassLoader loader = daemon.loadOne().loader();
        Class<?> deed = loader.loadClass("plugins.signed.Deed");

        assertThat(deed.getProtectionDomain().getCodeSource().getCodeSigners()).hasSize(1);
        assertThat(loader.loadClass("plugins.signed.Plugin")
                        .getProtectionDomain()
                        .getCodeSource()
                        .getCodeSigners())
                .isEqualTo(deed.getProtectionDomain().getCodeSource().getCodeSigners());
        assertThatExceptionOfType(SecurityException.class)
                .isThrownBy(() -> ((Runnable) deed.getConstructor().newInstance()).run())
                .withMessage("plugin signed called System.exit(1): refused");
    }

    @Test
    void aSignedEntryPointThatWasChangedIsNotRun() throws Exception {
        Path jar = install(signed());
        replace(jar, "plugins/signed/Plugin.class", changed());

        assertThat(daemon.loadAndReject().cause())
                .contains("java.lang.SecurityException", "digest error", "plugins/signed/Plugin.class");
    }

    @Test
    void aSignedJarOfThousandsOfFilesHasALargeManifestAndIsAPluginNonetheless() throws Exception {
        PluginJar jar = signed();
        for (int n = 0; n < 2_000; n++) {
            jar.entry("data/a-file-with-a-rather-long-name-" + n + ".txt", "" + n);
        }
        Path installed = install(jar);

        try (ZipFile zip = new ZipFile(installed.toFile())) {
            assertThat(zip.getEntry("META-INF/MANIFEST.MF").getSize()).isGreaterThan(JarMetadata.LARGEST_HEAD);
        }
        assertThat(daemon.loadOne().manifest().id()).isEqualTo("signed");
    }

    private static PluginJar signed() {
        return PluginJar.of("signed")
                .source("package plugins.signed; public class Deed implements Runnable {"
                        + " public void run() { System.exit(1); } }")
                .plugin("");
    }

    private static byte[] changed() {
        return PluginJar.of("signed")
                .plugin("public Plugin() { throw new AssertionError(\"changed code runs\"); }")
                .classes()
                .get("plugins/signed/Plugin.class");
    }

    private Path install(PluginJar jar) throws Exception {
        KeyStore store = KeyStore.getInstance(keys.resolve("keys.p12").toFile(), PASSWORD);
        PrivateKey key = (PrivateKey) store.getKey("vendor", PASSWORD);
        CertPath certificates =
                CertificateFactory.getInstance("X.509").generateCertPath(List.of(store.getCertificate("vendor")));
        Path signed = daemon.directory().resolve("signed.jar");
        try (ZipFile unsigned = new ZipFile(jar.write(temporary).toFile());
                OutputStream out = Files.newOutputStream(signed)) {
            new JarSigner.Builder(key, certificates).build().sign(unsigned, out);
        }
        return signed;
    }

    private static void replace(Path jar, String path, byte[] content) throws Exception {
        try (FileSystem zip = FileSystems.newFileSystem(jar)) {
            Files.write(zip.getPath(path), content);
        }
    }
}
