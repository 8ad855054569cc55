package io.enipam.datapath;

import java.nio.file.Path;

/**
 * Where and for whom the datapath works.
 *
 * @param records directory of what was connected how, one small file for each; it shall end with the machine, as links do
 * @param node what is to be known of the node
 * @param sysctls the directory that has {@code net/ipv4}, usually {@code /proc/sys}
 */
public record DatapathConfig(Path records, NodeNetwork node, Path sysctls) {}
