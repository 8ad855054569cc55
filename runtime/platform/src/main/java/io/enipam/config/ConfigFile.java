package io.enipam.config;

import java.nio.file.Path;

/**
 * A file to read.
 *
 * @param path where it is
 * @param kind what it speaks
 * @param required whether it is a problem if it does not exist
 */
public record ConfigFile(Path path, SettingsFile kind, boolean required) {
    /** A file named on the command line. */
    public static ConfigFile named(Path path) {
        return new ConfigFile(path, SettingsFile.ofName(path.toString()), true);
    }

    /** A file at its usual place, which need not be there. */
    public static ConfigFile usual(Path path, SettingsFile kind) {
        return new ConfigFile(path, kind, false);
    }
}
