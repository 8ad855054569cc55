package io.enipam.store.tools;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What became of a restore that was staged.
 *
 * @param taken whether the restored records are in use now; if not, those from before are
 * @param message one line that says what was done, and where the other files are
 * @param before where the files are kept that were in use before
 */
public record FinishedRestore(boolean taken, String message, Optional<Path> before) {}
