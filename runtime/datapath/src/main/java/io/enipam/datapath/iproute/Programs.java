package io.enipam.datapath.iproute;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where the programs are: on the PATH, or where systems keep those of the administrator. */
public final class Programs {
    /** All that is run. */
    public static final List<String> ALL = List.of("ip", "tc", "nsenter", "sh");

    /** Where they are looked for. */
    static final String PATH =
            System.getenv().getOrDefault("PATH", "") + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private Programs() {}

    /** The file of one; empty if it is not installed. */
    public static Optional<Path> find(String name) {
        return Stream.of(PATH.split(":"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
