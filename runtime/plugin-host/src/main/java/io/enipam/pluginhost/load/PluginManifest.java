package io.enipam.pluginhost.load;

/**
 * What the manifest of a plugin's main jar says, checked.
 *
 * @param id {@code Plugin-Id}, {@code [a-z][a-z0-9-]{0,62}}
 * @param version {@code Plugin-Version}, a semantic version such as {@code 1.4.0-rc.1}
 * @param sdkRange {@code Sdk-Version}, the versions of the SDK it works with, such as {@code [0.1,0.2)}
 */
public record PluginManifest(String id, String version, String sdkRange) {}
