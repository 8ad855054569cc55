package io.enipam.pluginhost.load;

import java.nio.file.Path;
import java.util.List;

/**
 * The files of one plugin, not yet opened.
 *
 * @param source the jar or the directory, as it was found
 * @param jars real paths, in the order in which classes are looked for
 * @param holders real paths of the directories in which a jar would count as a part of this plugin
 * @param named the same files and directories by the paths on which they were found: symbolic links may lead through others
 */
record PluginFiles(Path source, List<Path> jars, List<Path> holders, List<Path> named) {
    PluginFiles {
        jars = List.copyOf(jars);
        holders = List.copyOf(holders);
        named = List.copyOf(named);
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
