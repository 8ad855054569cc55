package io.enipam.pluginhost.load;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjIntConsumer;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The class loader of one plugin: the plugin's own jars behind {@link SharedClassLoader}. Everything else of the daemon is
 * invisible, and so are the jars of other plugins. {@code Class-Path} in a manifest is not followed: a plugin is the jars
 * that were found and checked.
 *
 * <p><b>A plugin does not end the process.</b> Calls of {@link System#exit}, {@link Runtime#exit} and {@link Runtime#halt},
 * method references to them among those, are rewritten while a class is defined, and throw {@link SecurityException}. This
 * stops accidents and libraries that were command-line programs, on every JDK. It is no wall against malice: reflection,
 * method handles looked up at run time, native code and {@code kill} are not stopped, as nothing within a JVM can.
 *
 * <p><b>Signed jars.</b> The signature is checked on the bytes as they are in the jar, before they are rewritten, so a
 * signed class works like any other and has its signers; one that is not what was signed is not defined. Packages can be
 * sealed, and of a multi-release jar the release of this JVM is used.
 *
 * <p>Thread-safe, and parallel capable. Closing releases the jars; classes that are defined go on working, and one that is
 * not can no longer be loaded.
 */
public final class PluginClassLoader extends URLClassLoader {
    private static final Logger LOG = LoggerFactory.getLogger(PluginClassLoader.class);

    static {
        registerAsParallelCapable();
    }

    private final String id;
    private final List<OpenJar> jars;
    private final AtomicLong exitsStopped = new AtomicLong();

    private PluginClassLoader(String id, List<OpenJar> jars, ClassLoader daemon) {
        super("plugin-" + id, jars.stream().map(OpenJar::address).toArray(URL[]::new), new SharedClassLoader(daemon));
        this.id = id;
        this.jars = jars;
    }

    /** @param daemon where the shared classes come from */
    static PluginClassLoader open(String id, List<Path> paths, ClassLoader daemon) throws IOException {
        List<OpenJar> jars = new ArrayList<>();
        try {
            for (Path path : paths) {
                jars.add(OpenJar.open(path));
            }
            PluginClassLoader loader = new PluginClassLoader(id, List.copyOf(jars), daemon);
            loader.defineRefusedExits();
            return loader;
        } catch (IOException | RuntimeException e) {
            for (OpenJar jar : jars) {
                jar.close();
            }
            throw e;
        }
    }

    /** How often the plugin was kept from ending the process. */
    public long exitsStopped() {
        return exitsStopped.get();
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (!SharedClassLoader.has(name)) {
            String path = name.replace('.', '/') + ".class";
            for (OpenJar jar : jars) {
                Optional<JarEntry> entry = jar.entry(path);
                if (entry.isPresent()) {
                    return define(name, jar, entry.get());
                }
            }
        }
        throw new ClassNotFoundException(name);
    }

    @Override
    public @Nullable URL findResource(String name) {
        return addresses(name).stream().findFirst().orElse(null);
    }

    @Override
    public Enumeration<URL> findResources(String name) {
        return Collections.enumeration(addresses(name));
    }

    private List<URL> addresses(String name) {
        List<URL> found = new ArrayList<>();
        if (!SharedClassLoader.hasResource(name)) {
            jars.forEach(jar -> jar.entry(name).map(jar::addressOf).ifPresent(found::add));
        }
        return found;
    }

    private Class<?> define(String name, OpenJar jar, JarEntry entry) throws ClassNotFoundException {
        try {
            byte[] inJar = jar.readClass(entry);
            definePackage(name.substring(0, Math.max(0, name.lastIndexOf('.'))), jar);
            byte[] bytes = ExitCallRewriter.refuse(name, inJar);
            return defineClass(name, bytes, 0, bytes.length, new CodeSource(jar.address(), entry.getCodeSigners()));
        } catch (IOException e) {
            throw new ClassNotFoundException(name + " in " + jar.address() + ": " + e.getMessage(), e);
        }
    }

    private void definePackage(String name, OpenJar jar) {
        if (name.isEmpty()) {
            return;
        }
        if (getDefinedPackage(name) == null) {
            try {
                definePackage(name, jar.manifest(), jar.address());
                return;
            } catch (IllegalArgumentException another) {
                LOG.trace("another thread was first to define package {}", name, another);
            }
        }
        Package known = Objects.requireNonNull(getDefinedPackage(name));
        if (known.isSealed() ? !known.isSealed(jar.address()) : jar.seals(name)) {
            throw new SecurityException(
                    "package " + name + " is sealed, and has classes in another jar than " + jar.address());
        }
    }

    /** Gives the plugin the class its rewritten calls lead to, and that class the way to this loader. */
    private void defineRefusedExits() throws IOException {
        String name = RefusedExits.class.getName();
        try (InputStream in = RefusedExits.class.getResourceAsStream(RefusedExits.class.getSimpleName() + ".class")) {
            byte[] bytes = Objects.requireNonNull(in).readAllBytes();
            Class<?> ofPlugin = defineClass(name, bytes, 0, bytes.length);
            Field refusal = ofPlugin.getDeclaredField("refusal");
            refusal.setAccessible(true);
            ObjIntConsumer<String> here = this::refuse;
            refusal.set(null, here);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the daemon is broken: " + name + " is not what it was built with", e);
        }
    }

    private void refuse(String call, int status) {
        String refused = "plugin " + id + " called " + call + "(" + status + "): refused";
        if (exitsStopped.getAndIncrement() == 0) { // it may go on and on
            LOG.warn("{}; further calls are counted", refused);
        }
        throw new SecurityException(refused);
    }

    @Override
    public void close() throws IOException {
        super.close();
        for (OpenJar jar : jars) {
            jar.close();
        }
    }

    @Override
    public String toString() {
        return "plugin-" + id;
    }

    /**
     * All that a plugin sees of the daemon: the JDK, the SDK with its services, slf4j, so that a plugin logs where the daemon does, and the
     * annotations of jspecify, in which the SDK is written. Classes and resources alike.
     */
    static final class SharedClassLoader extends ClassLoader {
        static {
            registerAsParallelCapable();
        }

        /** The packages of the SDK's jars for plugins: those of its services lead to the host's objects. */
        private static final Set<String> SHARED =
                Set.of("io.enipam.sdk", "io.enipam.sdk.cluster", "io.enipam.sdk.cloud", "org.jspecify.annotations");

        private final ClassLoader daemon;

        SharedClassLoader(ClassLoader daemon) {
            super("shared-with-plugins", getPlatformClassLoader());
            this.daemon = daemon;
        }

        /** Whether this class comes from the daemon, and a plugin's own copy of it never counts. */
        static boolean has(String className) {
            return isShared(packageOf(className, '.'));
        }

        /** The same for the path of a resource. */
        static boolean hasResource(String path) {
            return isShared(packageOf(path, '/').replace('/', '.'));
        }

        private static boolean isShared(String name) {
            return SHARED.contains(name) || name.equals("org.slf4j") || name.startsWith("org.slf4j.");
        }

        private static String packageOf(String name, char separator) {
            return name.substring(0, Math.max(0, name.lastIndexOf(separator)));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return has(name) ? daemon.loadClass(name) : super.loadClass(name, resolve);
        }

        @Override
        public URL getResource(String name) {
            return hasResource(name) ? daemon.getResource(name) : super.getResource(name);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return hasResource(name) ? daemon.getResources(name) : super.getResources(name);
        }
    }

    /**
     * A jar that classes and resources are read from. It verifies signatures and knows the releases of a multi-release jar, as
     * {@link JarFile} does. Thread-safe.
     */
    private record OpenJar(JarFile file, URL address, Manifest manifest) implements Closeable {
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
                throw new IllegalArgumentException(
                        "a name of " + address + " cannot be an address: " + entry.getName(), e);
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
}
