package io.enipam.pluginhost.testing;

import io.enipam.sdk.IpamPlugin;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * Builds the jar of a plugin from sources, at test time. They may use whatever the test's own class path has, whether a
 * plugin can see it or not.
 *
 * <pre>{@code
 * Path jar = PluginJar.of("quiet").plugin("").write(directory);
 * Path other = PluginJar.of("loud").plugin("""
 *         public List<Setting<?>> settings() { return List.of(Setting.flag("aloud", true)); }
 *         """).write(directory);
 * }</pre>
 *
 * <p>The manifest of {@link #of} is complete; {@link #manifest} and {@link #without} change it. A jar can be written several
 * times.
 */
public final class PluginJar {
    /** A range that has the SDK version {@link #SDK_VERSION}. */
    public static final String SDK_RANGE = "[0.1,0.2)";

    public static final String SDK_VERSION = "0.1.0";

    private static final String IMPORTS = """
            import io.enipam.sdk.*;
            import java.time.*;
            import java.util.*;
            import java.util.concurrent.*;
            """;

    private final String name;
    private final Map<String, String> attributes = new LinkedHashMap<>();
    private final List<String> sources = new ArrayList<>();
    private final List<PluginJar> libraries = new ArrayList<>();
    private final Map<String, byte[]> entries = new TreeMap<>();

    private PluginJar(String name) {
        this.name = name;
    }

    /** A plugin's main jar, {@code ID-1.0.0.jar}. */
    public static PluginJar of(String id) {
        return new PluginJar(id + "-1.0.0")
                .manifest("Plugin-Id", id)
                .manifest("Plugin-Version", "1.0.0")
                .manifest("Sdk-Version", SDK_RANGE);
    }

    /** A jar without anything of a plugin in its manifest, {@code NAME.jar}. */
    public static PluginJar library(String name) {
        return new PluginJar(name);
    }

    /** The class {@code PACKAGE.Plugin} as the entry point, and as its only service. The package is that of {@link #packageName}. */
    public PluginJar plugin(String members) {
        return source("package " + packageName() + ";\n" + IMPORTS + "public class Plugin implements IpamPlugin {\n"
                        + members + "\n}\n")
                .service(packageName() + ".Plugin");
    }

    /** The package of the entry point: the jar's name, as far as it is one. */
    public String packageName() {
        return "plugins." + name.replaceAll("-1\\.0\\.0$", "").replaceAll("[^a-z0-9]", "_");
    }

    /** One source file, whole. */
    public PluginJar source(String text) {
        sources.add(text);
        return this;
    }

    /** The sources may use classes of this jar, which must lie beside it. */
    public PluginJar with(PluginJar library) {
        libraries.add(library);
        return this;
    }

    /** What the jar offers as entry points, one a line. */
    public PluginJar service(String... classNames) {
        return entry("META-INF/services/" + IpamPlugin.class.getName(), String.join("\n", classNames) + "\n");
    }

    /** A main attribute of the manifest. */
    public PluginJar manifest(String attribute, String value) {
        attributes.put(attribute, value);
        return this;
    }

    /** Leaves an attribute out. */
    public PluginJar without(String attribute) {
        attributes.remove(attribute);
        return this;
    }

    public PluginJar entry(String path, String text) {
        return entry(path, text.getBytes(StandardCharsets.UTF_8));
    }

    public PluginJar entry(String path, byte[] content) {
        entries.put(path, content);
        return this;
    }

    /** The compiled classes of its sources so far, by their paths in a jar. */
    public Map<String, byte[]> classes() {
        List<String> all = new ArrayList<>(sources);
        libraries.forEach(library -> all.addAll(library.sources));
        Map<String, byte[]> classes = new TreeMap<>(InMemoryCompiler.compile(all));
        libraries.forEach(
                library -> classes.keySet().removeAll(library.classes().keySet()));
        return classes;
    }

    /** Writes it under its own name. */
    public Path write(Path directory) {
        return writeTo(directory.resolve(name + ".jar"));
    }

    /** Writes it; directories on the way are made. */
    public Path writeTo(Path file) {
        Map<String, byte[]> all = new TreeMap<>(classes());
        all.putAll(entries);
        byte[] manifest = all.remove("META-INF/MANIFEST.MF");
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            try (OutputStream out = Files.newOutputStream(file);
                    JarOutputStream jar = new JarOutputStream(out)) {
                // first, as tools write it: JarInputStream and jarsigner expect it there
                put(jar, "META-INF/MANIFEST.MF", manifest == null ? manifest() : manifest);
                for (Map.Entry<String, byte[]> entry : all.entrySet()) {
                    put(jar, entry.getKey(), entry.getValue());
                }
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] manifest() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.forEach((attribute, value) -> manifest.getMainAttributes().putValue(attribute, value));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        manifest.write(bytes);
        return bytes.toByteArray();
    }

    private static void put(JarOutputStream jar, String path, byte[] content) throws IOException {
        jar.putNextEntry(new JarEntry(path));
        new ByteArrayInputStream(content).transferTo(jar);
        jar.closeEntry();
    }
}
