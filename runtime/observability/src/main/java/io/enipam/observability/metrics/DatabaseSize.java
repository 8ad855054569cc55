package io.enipam.observability.metrics;

import java.io.IOException;
import java.nio.file.Path;

/** Looks how much there is of a database. */
@FunctionalInterface
public interface DatabaseSize {
    /** Bytes of the files in a directory. */
    long of(Path directory) throws IOException;
}
