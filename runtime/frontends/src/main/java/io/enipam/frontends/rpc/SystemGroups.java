package io.enipam.frontends.rpc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is a member of a group, by the system's {@code passwd} and {@code group} files (passwd(5), group(5)). Read at each
 * question, so that a change needs no restart; the files are small and questions are rare.
 */
final class SystemGroups {
    private static final Logger LOG = LoggerFactory.getLogger(SystemGroups.class);

    private final Path passwd;
    private final Path group;

    SystemGroups(Path passwd, Path group) {
        this.passwd = passwd;
        this.group = group;
    }

    static SystemGroups ofThisHost() {
        return new SystemGroups(Path.of("/etc/passwd"), Path.of("/etc/group"));
    }

    /** Whether the peer's primary group is this one, in its credentials or in passwd, or the group lists its user. */
    boolean isMember(Peer peer, String groupName) {
        Optional<List<String>> entry = first(group, 0, groupName);
        if (entry.isEmpty() || entry.get().size() < 4) {
            return false;
        }
        String gid = entry.get().get(2);
        List<String> listed = Arrays.asList(entry.get().get(3).split(","));
        Optional<List<String>> user = first(passwd, 2, Integer.toUnsignedString(peer.uid()));
        return gid.equals(Integer.toString(peer.gid()))
                || user.filter(u -> u.size() > 3 && u.get(3).equals(gid)).isPresent()
                || user.filter(u -> listed.contains(u.get(0))).isPresent();
    }

    private static Optional<List<String>> first(Path file, int field, String value) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(line -> Arrays.asList(line.split(":", -1)))
                    .filter(fields -> fields.size() > field && fields.get(field).equals(value))
                    .findFirst();
        } catch (IOException e) {
            LOG.warn("{} cannot be read, so nobody counts as a member of a group: {}", file, e.toString());
            return Optional.empty();
        }
    }
}
