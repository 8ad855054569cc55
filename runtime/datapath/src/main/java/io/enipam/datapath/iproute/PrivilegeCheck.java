package io.enipam.datapath.iproute;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a process needs to change the kernel. */
public final class PrivilegeCheck {
    private static final int NET_ADMIN = 12;
    private static final int SYS_ADMIN = 21;

    private PrivilegeCheck() {}

    public static Optional<String> missing() {
        return rights().or(() -> Links.visible()
                ? programs()
                : Optional.of("/sys/class/net shows another network namespace than this process's: mount a sysfs there"
                        + " ('ip netns exec' does)"));
    }

    private static Optional<String> rights() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            long effective = lines.filter(line -> line.startsWith("CapEff:"))
                    .map(line -> Long.parseUnsignedLong(line.substring(7).trim(), 16))
                    .findFirst()
                    .orElse(0L);
            boolean able = (effective >> NET_ADMIN & 1) == 1 && (effective >> SYS_ADMIN & 1) == 1;
            return able
                    ? Optional.empty()
                    : Optional.of("the daemon is not root with CAP_NET_ADMIN and CAP_SYS_ADMIN (privileged: true)");
        } catch (IOException e) {
            return Optional.of("this is no Linux with /proc: " + e.getMessage());
        }
    }

    private static Optional<String> programs() {
        List<String> missing = Programs.ALL.stream()
                .filter(program -> Programs.find(program).isEmpty())
                .toList();
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(String.join(", ", missing)
                        + " not found on the PATH: install iproute2 and util-linux, 'apt-get install iproute2"
                        + " util-linux'");
    }

    /** Where the programs are: on the PATH, or where systems keep those of the administrator. */
    static final class Programs {
        static final List<String> ALL = List.of("ip", "tc", "nsenter", "sh");

        static final String PATH = System.getenv().getOrDefault("PATH", "")
                + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

        private Programs() {}

        /** The file of one; empty if it is not installed. */
        static Optional<Path> find(String name) {
            return Stream.of(PATH.split(":"))
                    .filter(directory -> directory.startsWith("/"))
                    .map(directory -> Path.of(directory, name))
                    .filter(Files::isExecutable)
                    .findFirst();
        }
    }
}
