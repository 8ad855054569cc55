package io.enipam.pluginhost;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The file with the {@link PluginSelection}; replaced as a whole, so that it is never half written. */
final class PluginSelectionFile {
    private final JsonMapper mapper = new JsonMapper();
    private final Path file;

    PluginSelectionFile(Path file) {
        this.file = file;
    }

    /** Empty if nothing was ever written. */
    Optional<PluginSelection> read() throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(mapper.readValue(file.toFile(), PluginSelection.class));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    file + " is damaged; remove it, and what the configuration names will be in force", e);
        }
    }

    void write(PluginSelection selection) throws IOException {
        AtomicFile.write(file, mapper.writeValueAsBytes(selection));
    }
}
