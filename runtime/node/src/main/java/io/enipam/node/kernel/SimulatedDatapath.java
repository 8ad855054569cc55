package io.enipam.node.kernel;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.engine.concurrent.Stages;
import io.enipam.engine.model.DatapathRequest;
import io.enipam.engine.model.DatapathResult;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.Lease;
import io.enipam.engine.model.LinkRequest.Connector;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.port.Datapath;
import io.enipam.engine.port.Datapath.Attachment;
import io.enipam.engine.port.Span;
import io.enipam.sdk.Address;
import io.enipam.sdk.PodRef;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The datapath of pods without a network namespace: it changes no kernel, but keeps a small file for each attachment in one
 * directory, named by the owner's text in URL-safe Base64. Like a kernel's links they outlive the daemon and not the machine:
 * nothing is forced to the disk. A file appears and vanishes atomically, whoever makes or deletes it, and is not written to
 * otherwise: as long as the directory is unchanged, the answer is that of before. Thread-safe unless two threads write the same
 * attachment at the same time.
 */
public final class SimulatedDatapath implements Datapath {
    private static final String SUFFIX = ".json";
    /** The longest file name on Linux has 255 bytes. */
    private static final int LONGEST = 200;
    /** A directory's time may stay the same if it changes again within this. */
    private static final Duration TICK = Duration.ofSeconds(2);

    private static final JsonMapper JSON = new JsonMapper();

    private record Shape(
            @JsonProperty("owner") String owner,
            @JsonProperty("pod") String pod,
            @JsonProperty("podUid") String podUid,
            @JsonProperty("addresses") List<String> addresses) {}

    /** @param changed the directory's time before it was read */
    private record Listing(FileTime changed, List<Attachment> attachments) {}

    private final Path directory;
    private volatile Listing last = new Listing(FileTime.fromMillis(0), List.of());

    /** @param directory of the attachments; made with the first one */
    public SimulatedDatapath(Path directory) {
        this.directory = directory;
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        Span step = span.step("WRITE").with("file", "simulated attachment");
        return Stages.traced(step, staged(() -> connect(connection)));
    }

    private DatapathResult connect(DatapathRequest connection) {
        if (connection.link().connector() == Connector.DAEMON) {
            throw new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "this daemon connects no network namespaces, and was given "
                            + connection.link().netns(),
                    "call without a network namespace: the pod is simulated");
        }
        try {
            write(connection.lease());
            return DatapathResult.NONE;
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "pod " + connection.lease().pod() + " could not be connected: " + e.getMessage(),
                    "try again later: the disk is full, or this directory cannot be written",
                    e);
        }
    }

    private void write(Lease lease) throws IOException {
        Shape shape = new Shape(
                lease.owner().toString(),
                lease.pod().toString(),
                lease.podUid(),
                lease.resource().addresses().stream().map(Address::host).toList());
        Path file = file(lease.owner());
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.createDirectories(directory);
        Files.write(next, JSON.writeValueAsBytes(shape));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        Span step = span.step("DELETE").with("file", "simulated attachment");
        return Stages.traced(step, staged(() -> {
            Files.deleteIfExists(file(owner));
            return null;
        }));
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return staged(this::now);
    }

    /** The same view as the engine's, for use before the engine starts. */
    public List<Attachment> now() throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        FileTime changed = Files.getLastModifiedTime(directory);
        boolean apart = changed.toInstant().isBefore(Instant.now().minus(TICK));
        Listing known = last;
        if (!known.changed().equals(changed)) {
            known = new Listing(changed, read());
            last = apart ? known : last;
        }
        return known.attachments();
    }

    private static <T> CompletableFuture<T> staged(Callable<T> work) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        try {
            stage.complete(work.call());
        } catch (Exception e) {
            stage.completeExceptionally(e);
        }
        return stage;
    }

    private List<Attachment> read() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(file -> file.toString().endsWith(SUFFIX)).toList();
        }
        List<Attachment> attachments = new ArrayList<>();
        for (Path file : files) {
            read(file).ifPresent(attachments::add);
        }
        return Collections.unmodifiableList(attachments);
    }

    /** A file that vanishes meanwhile is skipped. */
    private static Optional<Attachment> read(Path file) throws IOException {
        try (InputStream content = Files.newInputStream(file)) {
            Shape shape = JSON.readValue(content, Shape.class);
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
        // a long name keeps its end, which is more specific than its beginning, and a hash of the whole
        String file = name.length() <= LONGEST
                ? name
                : Integer.toHexString(name.hashCode()) + "-" + name.substring(name.length() - LONGEST);
        return directory.resolve(file + SUFFIX);
    }
}
