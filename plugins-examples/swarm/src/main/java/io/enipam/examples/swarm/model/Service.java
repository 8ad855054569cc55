package io.enipam.examples.swarm.model;

import java.util.List;
import java.util.Map;

/**
 * A service.
 *
 * @param endpoint what is allocated
 * @param pendingDelete to be deleted with its last task
 */
public record Service(String id, Spec spec, Endpoint endpoint, boolean pendingDelete) {
    /**
     * What a user wants.
     *
     * @param taskNetworks to which its tasks are attached
     * @param networks the same as it was written formerly; counts where the other is empty
     */
    public record Spec(
            String name,
            Map<String, String> labels,
            List<AttachmentSpec> taskNetworks,
            List<AttachmentSpec> networks,
            Endpoint.Spec endpoint) {
        public Spec {
            labels = Map.copyOf(labels);
            taskNetworks = List.copyOf(taskNetworks);
            networks = List.copyOf(networks);
        }

        /** Those that count. */
        public List<AttachmentSpec> attached() {
            return taskNetworks.isEmpty() ? networks : taskNetworks;
        }
    }

    /** A service of which nothing is allocated. */
    public static Service of(String id, Spec spec) {
        return new Service(id, spec, Endpoint.NONE, false);
    }

    public Service with(Endpoint allocated) {
        return new Service(id, spec, allocated, pendingDelete);
    }

    public Service with(Spec wanted) {
        return new Service(id, wanted, endpoint, pendingDelete);
    }

    public Service deleted() {
        return new Service(id, spec, endpoint, true);
    }
}
