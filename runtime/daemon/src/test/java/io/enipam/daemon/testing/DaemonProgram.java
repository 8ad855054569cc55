package io.enipam.daemon.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a daemon is started as a process of its own, with this test's classes and the launcher's options. */
public final class DaemonProgram {
    private DaemonProgram() {}

    /**
     * Its command line, on the emulated cloud.
     *
     * @param options more of the program's
     */
    public static List<String> command(Class<?> main, Path root, String... options) {
        List<String> command = java(main);
        command.addAll(List.of("--root", root.toString(), "--emulate"));
        command.addAll(List.of(options));
        return command;
    }

    /** How a class with a main method is started, without arguments. */
    public static List<String> java(Class<?> main) {
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= 24) { // as the launcher does: later JDKs warn of what netty does
            command.add("--enable-native-access=ALL-UNNAMED");
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        return command;
    }
}
