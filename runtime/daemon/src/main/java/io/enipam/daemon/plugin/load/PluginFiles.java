package io.enipam.daemon.plugin.load;

import java.nio.file.Path;
import java.util.List;

/**
 * The files of one plugin, not yet opened.
 *
 * @param source the jar or the directory, as it was found
 * @param jars real paths, in the order in which classes are looked for
 * @param holders real paths of the directories in which a jar would count as a part of this plugin
 */
record PluginFiles(Path source, List<Path> jars, List<Path> holders) {
    PluginFiles {
        jars = List.copyOf(jars);
        holders = List.copyOf(holders);
    }

    /** What it is called until its id is known. */
    String name() {
        return nameOf(source);
    }

    static String nameOf(Path source) {
        Path last = source.getFileName();
        return OneLine.of(String.valueOf(last == null ? source : last));
    }
}
