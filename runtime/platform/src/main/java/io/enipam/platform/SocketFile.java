package io.enipam.platform;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file of a unix socket: when it may be replaced, and which users may connect. */
public final class SocketFile {
    /** {@code sun_path} of unix(7) has 108 bytes, the last of them zero. */
    private static final int LONGEST = 107;

    /** Of {@code st_mode}, inode(7): which bits are the type, and a socket's. */
    private static final int TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private static final Logger LOG = LoggerFactory.getLogger(SocketFile.class);

    private SocketFile() {}

    /**
     * Makes a path free for a new socket: removes a socket that no process serves.
     *
     * @throws IOException if a live process serves it, another kind of file is there, or the path is too long
     */
    public static void removeStale(Path path) throws IOException {
        int bytes = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > LONGEST) {
            throw new IOException("the socket's path " + path + " has " + bytes + " bytes, and " + LONGEST
                    + " are the most; choose a shorter one");
        }
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE) != SOCKET) {
            throw new IOException(path + " is there and is no socket; remove it, or choose another path");
        }
        if (answers(path)) {
            throw new IOException(path + " is served by another process; stop it, or choose another path");
        }
        Files.delete(path);
        LOG.info("replacing {}, which a dead daemon left", path);
    }

    /** Allows owner and group to connect (mode 0660), and sets this group if it exists. */
    public static void restrict(Path path, String groupName) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw----"));
        try {
            GroupPrincipal group =
                    path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(groupName);
            Files.getFileAttributeView(path, PosixFileAttributeView.class).setGroup(group);
        } catch (UserPrincipalNotFoundException e) {
            LOG.debug("there is no group {}: only root and this user can connect ({})", groupName, e.toString());
        } catch (FileSystemException e) {
            LOG.info(
                    "{} cannot be given to group {}, whose members cannot connect: {}", path, groupName, e.getReason());
        }
    }

    /** Allows only the owner to connect (mode 0600). */
    public static void keepToOwner(Path path) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** Whether a process serves it, or may: only a refused connection says that none does. */
    private static boolean answers(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return probe.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException e) {
            LOG.debug("nobody serves {}: {}", path, e.toString());
            return false;
        }
    }
}
