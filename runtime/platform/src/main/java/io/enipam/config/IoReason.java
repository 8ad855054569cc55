package io.enipam.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why a file operation failed: the JDK's message is often only the file's name, the reason the exception's class. */
public final class IoReason {
    private IoReason() {}

    /** The reason, without the file's name if the exception separates them. */
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
