package io.enipam.examples.swarm.state;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.enipam.examples.swarm.model.Network;
import io.enipam.examples.swarm.model.Node;
import io.enipam.examples.swarm.model.Service;
import io.enipam.examples.swarm.model.Task;
import io.enipam.sdk.Codec;
import io.enipam.sdk.Journal;
import io.enipam.sdk.Table;

/** The swarm's durable tables. The revision of a row is the version of its object. */
public final class Tables {
    public static final Table<Network> NETWORKS = new Table<>("networks", 1, new JsonCodec<>(Network.class));
    public static final Table<Service> SERVICES = new Table<>("services", 1, new JsonCodec<>(Service.class));
    /** By {@link #key}, so that the tasks of a service are found by a prefix. */
    public static final Table<Task> TASKS = new Table<>("tasks", 1, new JsonCodec<>(Task.class));

    public static final Table<Node> NODES = new Table<>("nodes", 1, new JsonCodec<>(Node.class));

    private Tables() {}

    public static void open(Journal journal) {
        journal.open(NETWORKS);
        journal.open(SERVICES);
        journal.open(TASKS);
        journal.open(NODES);
    }

    /** The key of a task's row: {@code SERVICE/TASK}, of a task by itself {@code -/TASK}. */
    public static String key(Task task) {
        return ofService(task.service()) + task.id();
    }

    /** With what the keys of a service's tasks begin. */
    public static String ofService(String service) {
        return (service.isEmpty() ? "-" : service) + "/";
    }

    /** A record as JSON, its components in their order. */
    public record JsonCodec<V>(Class<V> type) implements Codec<V> {
        private static final ObjectMapper JSON = JsonMapper.builder()
                .disable(MapperFeature.AUTO_DETECT_IS_GETTERS) // Network.isIngress is no component
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();

        @Override
        public String write(V value) {
            try {
                return JSON.writeValueAsString(value);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(value + " cannot be written", e);
            }
        }

        @Override
        public V read(int version, String text) {
            try {
                return JSON.readValue(text, type);
            } catch (JsonProcessingException e) {
                throw new IllegalArgumentException(
                        "it is no " + type.getSimpleName() + ": " + e.getOriginalMessage(), e);
            }
        }
    }
}
