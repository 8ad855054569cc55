package io.enipam.pluginhost.load;

import java.nio.file.Path;

/**
 * A plugin that was found and is not used. Holds nothing of the plugin.
 *
 * @param name its id, or the name of its file where the id is not known or not an id
 * @param source the jar or the directory
 * @param cause what failed, why, and what to do, in one line of printable text
 */
public record RejectedPlugin(String name, Path source, String cause) {}
