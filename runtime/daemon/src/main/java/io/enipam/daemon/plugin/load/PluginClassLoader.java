package io.enipam.daemon.plugin.load;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The classes of one plugin: those of its own jars, and, from the daemon, what {@link SharedClasses} lets through.
 *
 * <p>Calls that would end the JVM, {@code System.exit}, {@code Runtime.exit} and {@code Runtime.halt}, are rewritten while a
 * class is defined: they throw, and are counted. That works on every JDK and needs no security manager. It does not stop
 * reflection, native code, or a plugin that means harm: a plugin runs with the daemon's rights. It stops the library that
 * calls {@code System.exit} on a bad day.
 *
 * <p>Thread-safe, parallel capable.
 */
public final class PluginClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private final String pluginId;
    private final AtomicLong exitsStopped = new AtomicLong();

    PluginClassLoader(String pluginId, URL[] jars, ClassLoader daemon) {
        super("plugin-" + pluginId, jars, new SharedClasses(daemon));
        this.pluginId = pluginId;
    }

    /** How often the plugin tried to end the JVM. */
    public long exitsStopped() {
        return exitsStopped.get();
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (name.equals(ExitRewriter.HELPER_NAME)) {
            return defineHelper();
        }
        URL resource = findResource(name.replace('.', '/') + ".class");
        if (resource == null) {
            throw new ClassNotFoundException(name);
        }
        byte[] original;
        try (InputStream in = resource.openStream()) {
            original = in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
        if (!ExitRewriter.mentionsExit(original)) {
            // the usual way: packages, versions and signatures as URLClassLoader has them
            return super.findClass(name);
        }
        byte[] rewritten = ExitRewriter.rewrite(original);
        definePackageOf(name);
        return defineClass(name, rewritten, 0, rewritten.length, (CodeSource) null);
    }

    private void definePackageOf(String className) {
        int dot = className.lastIndexOf('.');
        if (dot > 0 && getDefinedPackage(className.substring(0, dot)) == null) {
            try {
                definePackage(className.substring(0, dot), null, null, null, null, null, null, null);
            } catch (IllegalArgumentException e) {
                // another thread was first
                if (getDefinedPackage(className.substring(0, dot)) == null) {
                    throw e;
                }
            }
        }
    }

    private Class<?> defineHelper() throws ClassNotFoundException {
        byte[] helper = ExitRewriter.helper();
        Class<?> defined = defineClass(ExitRewriter.HELPER_NAME, helper, 0, helper.length);
        try {
            Runnable counter = exitsStopped::incrementAndGet;
            MethodHandles.publicLookup()
                    .findStaticSetter(defined, ExitRewriter.COUNTER_FIELD, Runnable.class)
                    .invoke(counter);
            MethodHandles.publicLookup()
                    .findStaticSetter(defined, ExitRewriter.PLUGIN_FIELD, String.class)
                    .invoke(pluginId);
        } catch (Throwable e) {
            throw new ClassNotFoundException("the stand-in for System.exit cannot be set up", e);
        }
        return defined;
    }
}
