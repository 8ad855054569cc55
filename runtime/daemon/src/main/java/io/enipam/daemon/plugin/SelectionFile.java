package io.enipam.daemon.plugin;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.daemon.platform.ReplacedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The file with the {@link Selection}; replaced as a whole, so that it is never half written. */
final class SelectionFile {
    private final JsonMapper mapper = new JsonMapper();
    private final Path file;

    SelectionFile(Path file) {
        this.file = file;
    }

    /** Empty if nothing was ever written. */
    Optional<Selection> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(mapper.readValue(file.toFile(), Selection.class));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    file + " is damaged; remove it, and what the configuration names will be in force", e);
        }
    }

    void write(Selection selection) throws IOException {
        ReplacedFile.write(file, mapper.writeValueAsBytes(selection));
    }
}
