package io.enipam.node.pods;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.platform.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The file with the UIDs of deleted pods; replaced as a whole, so that it is never half written. */
final class DeletedPodsFile {
    private static final String FIELD = "deletedUids";
    private static final TypeReference<Map<String, Set<String>>> SHAPE = new TypeReference<>() {};

    private final JsonMapper mapper = new JsonMapper();
    private final Path file;

    DeletedPodsFile(Path file) {
        this.file = file;
    }

    /** An absent file is an empty set. */
    Set<String> read() throws IOException {
        if (!Files.exists(file)) {
            return Set.of();
        }
        try {
            return mapper.readValue(file.toFile(), SHAPE).getOrDefault(FIELD, Set.of());
        } catch (IOException e) {
            throw new IOException(
                    file + " is damaged; remove it, and pods deleted before will be taken for alive again", e);
        }
    }

    void write(Collection<String> uids) throws IOException {
        AtomicFile.write(file, mapper.writeValueAsBytes(Map.of(FIELD, new TreeSet<>(uids))));
    }
}
