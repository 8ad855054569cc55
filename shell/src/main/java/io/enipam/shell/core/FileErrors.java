package io.enipam.shell.core;

import io.enipam.shell.attach.ShellException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Why a file of the shell's machine cannot be written, and what to do about it. */
public final class FileErrors {
    private FileErrors() {}

    public static ShellException directory(Path file) {
        return refused(file, "it is a directory", "Name a file in it");
    }

    public static ShellException denied(Path file) {
        return refused(file, "permission denied", "Name a file that you may write");
    }

    /** What the system said. */
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

    public static ShellException refused(Path file, String why, String hint) {
        return ShellException.here("NOT_WRITABLE", "cannot write " + file + ": " + why, hint);
    }
}
