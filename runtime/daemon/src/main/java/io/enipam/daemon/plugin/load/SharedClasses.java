package io.enipam.daemon.plugin.load;

import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;

/**
 * What a plugin sees of the daemon: the JDK, the SDK, SLF4J's API, and jspecify's annotations. The engine, gRPC and all other
 * libraries of the daemon are invisible, classes and resources alike, so that a plugin brings the versions it likes.
 */
final class SharedClasses extends ClassLoader {
    private static final Set<String> PACKAGES = Set.of(
            "io.enipam.sdk",
            "org.slf4j",
            "org.slf4j.event",
            "org.slf4j.helpers",
            "org.slf4j.spi",
            "org.jspecify.annotations");

    private final ClassLoader daemon;

    /** @param daemon has the shared packages */
    SharedClasses(ClassLoader daemon) {
        super("plugin-shared", ClassLoader.getPlatformClassLoader());
        this.daemon = daemon;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        int dot = name.lastIndexOf('.');
        if (dot > 0 && PACKAGES.contains(name.substring(0, dot))) {
            return daemon.loadClass(name);
        }
        throw new ClassNotFoundException(name);
    }

    @Override
    protected URL findResource(String name) {
        return null;
    }

    @Override
    protected Enumeration<URL> findResources(String name) throws IOException {
        return Collections.emptyEnumeration();
    }
}
