package io.enipam.pluginhost.load;

import java.io.IOException;
import java.net.URL;
import java.util.Enumeration;

/**
 * All that a plugin sees of the daemon: the JDK, the SDK, slf4j, so that a plugin logs where the daemon does, and the
 * annotations of jspecify, in which the SDK is written. Classes and resources alike.
 */
final class SharedClassLoader extends ClassLoader {
    static {
        registerAsParallelCapable();
    }

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
        return name.equals("io.enipam.sdk")
                || name.equals("org.slf4j")
                || name.startsWith("org.slf4j.")
                || name.equals("org.jspecify.annotations");
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
