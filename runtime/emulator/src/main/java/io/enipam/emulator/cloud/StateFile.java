package io.enipam.emulator.cloud;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.enipam.emulator.cloud.CloudState.Instance;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file that always holds one whole state: a new state is written beside it, forced to disk, and renamed over it. One
 * thread saves at a time.
 */
public final class StateFile {
    private final AtomicBoolean directoryMade = new AtomicBoolean();
    private final Path file;
    private final JsonMapper json = JsonMapper.builder()
            .addModule(new Jdk8Module())
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public StateFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    /** Reads it. Returns empty if there is no file. Throws EmulatorException if there is one that is no state. */
    public Optional<CloudState> load() {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            JsonNode tree = json.readTree(file.toFile());
            if (!tree.isObject()) {
                throw corrupt("it holds no JSON object", null);
            }
            // before the rest: what another format holds need not be readable
            int format = tree.path("format").asInt();
            if (format != CloudState.FORMAT) {
                throw corrupt("format " + format + ", but this version reads format " + CloudState.FORMAT, null);
            }
            complete((ObjectNode) tree);
            CloudState state = json.treeToValue(tree, CloudState.class);
            problem(state).ifPresent(what -> {
                throw corrupt(what, null);
            });
            return Optional.of(state);
        } catch (JacksonException broken) {
            throw corrupt(broken.getOriginalMessage(), broken);
        } catch (IOException unreadable) {
            throw new EmulatorException("cannot read the state file " + file + ": " + unreadable, unreadable);
        }
    }

    /** Adds what a file of this format lacks that was written before there were routes and numbers of devices. */
    private static void complete(ObjectNode state) {
        if (!state.has("routes")) {
            state.putArray("routes");
        }
        state.path("enis").forEach(eni -> {
            if (eni instanceof ObjectNode fields && !fields.has("deviceIndex")) {
                fields.put("deviceIndex", 0);
            }
        });
    }

    /** Replaces it. Throws EmulatorException if that fails; the old content is still there. */
    public void save(CloudState state) {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            // once: a call that is cut off by the end must not bring a directory back that is gone by then
            if (directoryMade.compareAndSet(false, true)) {
                Files.createDirectories(file.getParent());
            }
            ByteBuffer bytes = ByteBuffer.wrap(json.writeValueAsBytes(state));
            try (FileChannel channel = FileChannel.open(
                    fresh, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            // the rename itself is on disk only when the directory is
            try (FileChannel directory = FileChannel.open(file.getParent(), StandardOpenOption.READ)) {
                directory.force(true);
            }
        } catch (IOException failed) {
            throw new EmulatorException(
                    "cannot write the state file " + file + ": " + failed + "; free space or choose another place",
                    failed);
        }
    }

    private EmulatorException corrupt(String what, @Nullable Throwable cause) {
        return new EmulatorException(
                "the state file " + file + " is damaged: " + what + "; restore it, or remove it to begin anew", cause);
    }

    private static Optional<String> problem(CloudState state) {
        if (state.layout().instances().isEmpty()
                || state.layout().vswitches().isEmpty()
                || state.layout().zones().isEmpty()
                || state.layout().vpc().securityGroups().isEmpty()) {
            return Optional.of("no instance, no vSwitch, no zone or no security group");
        }
        for (Instance instance : state.layout().instances()) {
            if (InstanceType.find(instance.type()).isEmpty()) {
                return Optional.of(instance.id() + " has the unknown type " + instance.type());
            }
        }
        Set<String> addresses = new HashSet<>();
        for (EmulatedEni eni : state.enis().values()) {
            if (state.vswitch(eni.ips().vswitchId()).isEmpty()) {
                return Optional.of(
                        eni.id() + " is in the unknown vSwitch " + eni.ips().vswitchId());
            }
            if (eni.attachment()
                    .instanceId()
                    .filter(id -> state.instance(id).isEmpty())
                    .isPresent()) {
                return Optional.of(eni.id() + " is on an unknown instance");
            }
            for (String address : Stream.concat(eni.addressesTaken().stream(), eni.ips().ipv6s().stream())
                    .toList()) {
                if (!addresses.add(eni.ips().vswitchId() + ' ' + address)) {
                    return Optional.of("address " + address + " has two owners");
                }
            }
        }
        return Optional.empty();
    }
}
