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
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The datapath of pods without a network namespace: it changes no kernel, but keeps a small file for each attachment,
 * which outlives the daemon as a kernel's links do. Thread-safe.
 */
public final class SimulatedDatapath implements Datapath {
    private final AttachmentStore files;

    /** @param directory of the attachments; made with the first one */
    public SimulatedDatapath(Path directory) {
        this.files = new AttachmentStore(directory);
    }

    @Override
    public CompletionStage<DatapathResult> setUp(DatapathRequest connection, Span span) {
        Span step = span.step("WRITE").with("file", "simulated attachment");
        return told(step, connect(connection));
    }

    private CompletionStage<DatapathResult> connect(DatapathRequest connection) {
        if (connection.link().connector() == Connector.DAEMON) {
            return CompletableFuture.failedStage(new IpamException(
                    ErrorCode.DATAPATH_FAILED,
                    "this daemon connects no network namespaces, and was given "
                            + connection.link().netns(),
                    "call without a network namespace: the pod is simulated"));
        }
        return staged(() -> {
            write(connection.lease());
            return DatapathResult.NONE;
        });
    }

    private void write(Lease lease) {
        try {
            files.write(lease);
        } catch (IOException e) {
            throw new IpamException(
                    ErrorCode.TRY_AGAIN,
                    "pod " + lease.pod() + " could not be connected: " + e.getMessage(),
                    "try again later: the disk is full, or this directory cannot be written",
                    e);
        }
    }

    @Override
    public CompletionStage<Void> tearDown(OwnerKey owner, Span span) {
        Span step = span.step("DELETE").with("file", "simulated attachment");
        CompletionStage<Void> deleted = staged(() -> {
            files.delete(owner);
            return null;
        });
        return told(step, deleted);
    }

    private static <T> CompletionStage<T> told(Span step, CompletionStage<T> stage) {
        return Stages.traced(step, stage.toCompletableFuture());
    }

    @Override
    public CompletionStage<List<Attachment>> attached() {
        return staged(files::read);
    }

    /** The same view as the engine's, for use before the engine starts. */
    public List<Attachment> now() throws IOException {
        return files.read();
    }

    private static <T> CompletionStage<T> staged(Callable<T> work) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        try {
            stage.complete(work.call());
        } catch (Exception e) {
            stage.completeExceptionally(e);
        }
        return stage;
    }

    /**
     * Attachments as small files of a directory, one for each, named by the owner's text in URL-safe Base64. Like a
     * kernel's links they outlive the process and not the machine: nothing is forced to the disk. A file appears and
     * vanishes atomically. Thread-safe unless two threads write the same attachment at the same time.
     */
    record AttachmentStore(Path directory) {
        private static final String SUFFIX = ".json";
        /** The longest file name on Linux has 255 bytes. */
        private static final int LONGEST = 200;

        private static final JsonMapper JSON = new JsonMapper();

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
            Files.write(next, JSON.writeValueAsBytes(shape));
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

        /** A file that vanishes meanwhile is skipped. */
        private Optional<Attachment> read(Path file) throws IOException {
            try {
                Shape shape = JSON.readValue(Files.readAllBytes(file), Shape.class);
                Set<InetAddress> addresses =
                        shape.addresses().stream().map(Address::literal).collect(Collectors.toSet());
                return Optional.of(new Attachment(
                        OwnerKey.parse(shape.owner()),
                        Optional.of(PodRef.parse(shape.pod())),
                        shape.podUid(),
                        addresses));
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
}
