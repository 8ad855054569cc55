package io.enipam.engine.tables;

import io.enipam.engine.model.TableRow;
import java.util.Optional;
import java.util.stream.Stream;

/** The rows of all tables at one revision. The paths are those of {@link TableRow#path()}. */
public interface TableState {
    Optional<TableRow> row(String path);

    /** The rows whose path begins with a prefix, ascending; read as far as the stream is consumed. */
    Stream<TableRow> under(String prefix);
}
