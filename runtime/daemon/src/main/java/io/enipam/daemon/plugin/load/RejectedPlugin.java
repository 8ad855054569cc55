package io.enipam.daemon.plugin.load;

import java.nio.file.Path;

/**
 * A plugin that is not used.
 *
 * @param name its id if that could be read, else the name of its directory or jar
 * @param source its directory or jar
 * @param cause what is wrong and what to do, one line
 */
public record RejectedPlugin(String name, Path source, String cause) {}
