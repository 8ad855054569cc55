package io.enipam.node.kernel;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Attachments as small files of a directory, one for each, named by the owner's text in URL-safe Base64. Like a kernel's links
 * they outlive the process, however it ends, and not the machine: nothing is forced to the disk. A file appears and vanishes as
 * a whole. Thread-safe as far as nobody writes the same attachment at the same time.
 */
public final class AttachmentStore {
    private static final String SUFFIX = ".json";
    /** The longest name that a file can have on Linux is 255 bytes. */
    private static final int LONGEST = 200;

    private final JsonMapper json = new JsonMapper();
    private final Path directory;

    AttachmentStore(Path directory) {
        this.directory = directory;
    }

    /** One file. */
    private record Shape(
            @JsonProperty("owner") String owner,
            @JsonProperty("pod") String pod,
            @JsonProperty("podUid") String podUid,
            @JsonProperty("addresses") List<String> addresses) {}

    void write(Lease lease) throws IOException {
        Shape shape = new Shape(
                lease.owner().toString(),
                lease.pod().toString(),
                lease.podUid(),
                lease.resource().addresses().stream().map(Address::host).toList());
        Path file = file(lease.owner());
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.createDirectories(directory);
        Files.write(next, json.writeValueAsBytes(shape));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    void delete(OwnerKey owner) throws IOException {
        Files.deleteIfExists(file(owner));
    }

    List<Attachment> read() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(file -> file.toString().endsWith(SUFFIX)).toList();
        }
        List<Attachment> attachments = new ArrayList<>();
        for (Path file : files) {
            read(file).ifPresent(attachments::add);
        }
        return attachments;
    }

    /** One that goes away meanwhile is not there. */
    private Optional<Attachment> read(Path file) throws IOException {
        try {
            Shape shape = json.readValue(Files.readAllBytes(file), Shape.class);
            Set<InetAddress> addresses =
                    shape.addresses().stream().map(Address::literal).collect(Collectors.toSet());
            return Optional.of(new Attachment(
                    OwnerKey.parse(shape.owner()), Optional.of(PodRef.parse(shape.pod())), shape.podUid(), addresses));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("the simulated kernel's file " + file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private Path file(OwnerKey owner) {
        String name = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(owner.toString().getBytes(StandardCharsets.UTF_8));
        // a long name keeps its end, which tells more than its beginning, and a hash of all of it
        String file = name.length() <= LONGEST
                ? name
                : Integer.toHexString(name.hashCode()) + "-" + name.substring(name.length() - LONGEST);
        return directory.resolve(file + SUFFIX);
    }
}
