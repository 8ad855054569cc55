package io.enipam.shell.core;

import org.jspecify.annotations.Nullable;

/** The version of this shell, as its jar says. */
public final class ShellVersion {
    private ShellVersion() {}

    /** The version; "unpackaged" if the classes do not come from the jar. */
    public static String get() {
        @Nullable String version = ShellVersion.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }
}
