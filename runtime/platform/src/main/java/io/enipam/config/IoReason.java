package io.enipam.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * Says why a file operation failed: the JDK's message is often the file's name alone, and the reason the exception's
 * class.
 */
public final class IoReason {
    private IoReason() {}

    /** The reason, without the file's name where the exception keeps them apart. */
    public static String of(IOException failure) {
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof NoSuchFileException) {
            return "there is no such file";
        }
        if (failure instanceof FileSystemException named && named.getReason() != null) {
            return named.getReason();
        }
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /** The file, if the exception names one, and the reason. */
    public static String withFile(IOException failure) {
        return failure instanceof FileSystemException named && named.getFile() != null
                ? named.getFile() + ": " + of(failure)
                : of(failure);
    }
}
