package io.enipam.shell;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** What a sandbox's daemon is started with. A daemon that runs already has its own, so these need {@code --sandbox}. */
final class SandboxOptions {
    @Option(
            names = "--plugin",
            paramLabel = "PATH",
            description = "Load a plugin into the sandbox: a jar, or a directory of jars. Repeatable.")
    List<Path> plugins = new ArrayList<>();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A configuration file for the sandbox, eni.json or enipam.yaml. Repeatable.")
    List<Path> configs = new ArrayList<>();

    /**
     * The words for {@code enipamd}, with absolute paths.
     *
     * @throws ShellException (usage) if something is not there or not what it should be, or there is no sandbox
     */
    List<String> words(boolean sandbox) {
        if (!sandbox && !(plugins.isEmpty() && configs.isEmpty())) {
            throw usage(
                    (plugins.isEmpty() ? "--config" : "--plugin")
                            + " is for a sandbox, and this is a daemon that runs already",
                    plugins.isEmpty()
                            ? "Configure that daemon, or add --sandbox"
                            : "Put the plugin into its plugin directory, or add --sandbox");
        }
        List<String> words = new ArrayList<>();
        for (Path plugin : plugins) {
            requirePlugin(plugin);
            words.addAll(List.of("--plugin", plugin.toAbsolutePath().toString()));
        }
        for (Path config : configs) {
            requireConfig(config);
            words.addAll(List.of("--config", config.toAbsolutePath().toString()));
        }
        return words;
    }

    private static void requirePlugin(Path path) {
        if (!Files.exists(path)) {
            throw usage("--plugin: there is no " + path, "Name a jar, or a directory of jars");
        }
        if (Files.isDirectory(path) ? !holdsJars(path) : !isJar(path)) {
            throw usage(
                    "--plugin: " + path + (Files.isDirectory(path) ? " has no jar in it" : " is no jar"),
                    "Name a jar, or a directory of jars");
        }
    }

    private static boolean holdsJars(Path directory) {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, SandboxOptions::isJar)) {
            return jars.iterator().hasNext();
        } catch (IOException e) {
            throw usage("--plugin: " + directory + " cannot be read (" + e + ")", "");
        }
    }

    private static boolean isJar(Path path) {
        return String.valueOf(path.getFileName()).endsWith(".jar");
    }

    private static void requireConfig(Path path) {
        if (!Files.exists(path)) {
            throw usage("--config: there is no " + path, "Name a file such as enipam.yaml");
        }
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            throw usage("--config: " + path + " is not a file that can be read", "Name a file such as enipam.yaml");
        }
    }

    private static ShellException usage(String why, String hint) {
        return new ShellException(ExitStatus.USAGE, "", why, hint);
    }
}
