package io.enipam.daemon.plugin.load;

import java.net.URL;
import java.net.URLClassLoader;

/** The class loader of one plugin. */
public final class PluginClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    PluginClassLoader() {
        super(new URL[0], getPlatformClassLoader());
    }

    /** How often the plugin was kept from ending the process. */
    public long exitsStopped() {
        return 0;
    }
}
