package io.enipam.pluginhost.load;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipFile;

/**
 * A jar that classes and resources are read from. It verifies signatures and knows the releases of a multi-release jar, as
 * {@link JarFile} does. Thread-safe.
 */
record OpenJar(JarFile file, URL address, Manifest manifest) implements Closeable {
    /** The largest class file: a class with the 65,535 methods of 64 KiB the JVM allows does not occur. */
    private static final int LARGEST_CLASS = 16 * 1024 * 1024;

    static OpenJar open(Path path) throws IOException {
        JarFile file = new JarFile(path.toFile(), true, ZipFile.OPEN_READ, JarFile.runtimeVersion());
        try {
            Manifest manifest = file.getManifest();
            return new OpenJar(file, path.toUri().toURL(), manifest == null ? new Manifest() : manifest);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** An entry as this JVM's release sees it; none of a closed jar. */
    Optional<JarEntry> entry(String path) {
        try {
            return Optional.ofNullable(file.getJarEntry(path));
        } catch (IllegalStateException closed) {
            return Optional.empty();
        }
    }

    /** The address of an entry's content. */
    URL addressOf(JarEntry entry) {
        try {
            String path = new URI(null, null, "/" + entry.getRealName(), null).getRawPath();
            return new URL("jar:" + address + "!" + path);
        } catch (URISyntaxException | MalformedURLException e) {
            throw new IllegalArgumentException("a name of " + address + " cannot be an address: " + entry.getName(), e);
        }
    }

    /**
     * Reads a class file to its end, after which the entry knows its signers.
     *
     * @throws IOException if it cannot be read, or is too large to be one
     * @throws SecurityException if it is not what was signed
     */
    byte[] readClass(JarEntry entry) throws IOException {
        try (InputStream in = file.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(LARGEST_CLASS);
            if (in.read() >= 0) {
                throw new IOException(entry.getName() + " is larger than " + LARGEST_CLASS + " bytes");
            }
            return bytes;
        } catch (IllegalStateException closed) {
            throw new IOException("the plugin's jars are closed", closed);
        }
    }

    /** Whether all classes of a package must come from this jar. */
    boolean seals(String packageName) {
        Attributes ofPackage = manifest.getAttributes(packageName.replace('.', '/') + "/");
        String value = ofPackage == null ? null : ofPackage.getValue(Attributes.Name.SEALED);
        return Boolean.parseBoolean(
                value == null ? manifest.getMainAttributes().getValue(Attributes.Name.SEALED) : value);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
