package io.enipam.store;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What was agreed when a restore was staged, version 1: in a file of the staged directory, where it stays and tells later
 * where the database came from.
 *
 * @param file what was restored
 * @param staged ISO 8601 instant
 * @param givenUp owners whose leases may be lost
 * @param inForce owners that had a lease at that moment
 * @param unread whether the database before could not be read, and that was agreed to
 */
@JsonPropertyOrder({"v", "file", "staged", "givenUp", "inForce", "unread"})
record RestoreManifest(
        @JsonProperty(value = "v", required = true) int v,
        @JsonProperty(value = "file", required = true) String file,
        @JsonProperty(value = "staged", required = true) String staged,
        @JsonProperty(value = "givenUp", required = true) List<String> givenUp,
        @JsonProperty(value = "inForce", required = true) List<String> inForce,
        @JsonProperty(value = "unread", required = true) boolean unread) {
    static final int VERSION = 1;

    private static final String NAME = "restored.json";
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .build();

    void write(Disk disk, Path directory) throws IOException {
        Path path = directory.resolve(NAME);
        try (DiskFile out = disk.create(path)) {
            out.write(ByteBuffer.wrap((JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8)), 0);
            out.force();
        }
        disk.forceDirectory(directory);
    }

    /**
     * @throws StoreException if it is missing, or not what was written
     * @throws IOException if it cannot be read now: which says nothing of what was staged
     */
    static RestoreManifest read(Disk disk, Path directory) throws IOException {
        Path path = directory.resolve(NAME);
        try {
            RestoreManifest note = JSON.readValue(disk.read(path), RestoreManifest.class);
            if (note.v() > VERSION) {
                throw NewerFormatErrors.of("a newer enipamd staged it");
            }
            return note;
        } catch (NoSuchFileException e) {
            throw DamageErrors.of(path + " is missing", e);
        } catch (JsonProcessingException e) {
            throw DamageErrors.of(path + " is not readable: " + e.getOriginalMessage(), e);
        }
    }
}
