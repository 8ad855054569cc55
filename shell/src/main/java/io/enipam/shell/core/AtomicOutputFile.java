package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.function.Supplier;

/** A file of this machine for its owner alone, there whole or not at all: until it is finished it has another name. */
public final class AtomicOutputFile implements AutoCloseable {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path file;
    private final Path unfinished;
    private final boolean replace;
    private final String option;
    private final FileChannel channel;

    private AtomicOutputFile(Path file, Path unfinished, boolean replace, String option, FileChannel channel) {
        this.file = file;
        this.unfinished = unfinished;
        this.replace = replace;
        this.option = option;
        this.channel = channel;
    }

    /** Throws {@link ShellException} if the file cannot be made, or is there and {@code option} was not given. */
    public static AtomicOutputFile begin(Path file, boolean replace, String option) {
        if (Files.isDirectory(file)) {
            throw directory(file);
        }
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !replace) {
            throw exists(file, option);
        }
        Path unfinished = file.resolveSibling(file.getFileName() + ".unfinished");
        try {
            Files.deleteIfExists(unfinished);
            FileChannel channel = FileChannel.open(
                    unfinished, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY);
            return new AtomicOutputFile(file, unfinished, replace, option, channel);
        } catch (IOException e) {
            throw told(file, e);
        }
    }

    /**
     * Writes a whole file, which is made before its text is computed: why it cannot be made is said first. Returns its length in bytes.
     *
     * @param option as {@link #begin} has it
     */
    public static long write(Path file, boolean replace, String option, Supplier<String> text) {
        AtomicOutputFile saved = begin(file, replace, option);
        try (saved) {
            saved.write(text.get().getBytes(StandardCharsets.UTF_8));
            return saved.finish();
        } catch (IOException e) {
            throw saved.failed(e);
        }
    }

    public void write(byte[] data) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(data);
        while (left.hasRemaining()) {
            channel.write(left);
        }
    }

    /** Gives the file its name; its length in bytes. */
    public long finish() throws IOException {
        channel.force(true);
        long bytes = channel.size();
        if (!replace && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            throw exists(file, option);
        }
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        return bytes;
    }

    public ShellException failed(IOException e) {
        return told(file, e);
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(unfinished);
    }

    public static ShellException directory(Path file) {
        return refused(file, "it is a directory", "Name a file in it");
    }

    public static ShellException denied(Path file) {
        return refused(file, "permission denied", "Name a file that you may write");
    }

    /** Why a file of the shell's machine cannot be written, and what to do about it. */
    public static ShellException of(Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return refused(file, "its directory does not exist", "Make the directory first");
        }
        if (e instanceof AccessDeniedException) {
            return denied(file);
        }
        String why = e instanceof FileSystemException named && named.getReason() != null
                ? named.getReason()
                : String.valueOf(e.getMessage());
        return refused(file, why, "Make room, or name a file elsewhere");
    }

    private static ShellException refused(Path file, String why, String hint) {
        return ShellException.here("NOT_WRITABLE", "cannot write " + file + ": " + why, hint);
    }

    private static ShellException exists(Path file, String option) {
        return refused(file, "it exists", "Name another file, or replace it with " + option);
    }

    private static ShellException told(Path file, IOException e) {
        return e instanceof FileAlreadyExistsException ? denied(file) : of(file, e);
    }
}
