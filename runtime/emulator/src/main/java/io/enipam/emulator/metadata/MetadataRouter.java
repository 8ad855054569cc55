package io.enipam.emulator.metadata;

import com.sun.net.httpserver.HttpExchange;
import io.enipam.emulator.cloud.CloudState;
import io.enipam.emulator.cloud.EmulatedEni;
import io.enipam.emulator.http.HttpReply;
import io.enipam.emulator.http.FullReply;
import java.net.InetAddress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The metadata services of all instances at one address, as in the real cloud: who asks is told from the address that he asks
 * from. Thread-safe.
 */
public final class MetadataRouter {
    private final Map<String, MetadataService> services;
    private final Supplier<CloudState> books;

    /**
     * @param services by instance
     * @param books tell who has an address
     */
    public MetadataRouter(Map<String, MetadataService> services, Supplier<CloudState> books) {
        this.services = Map.copyOf(services);
        this.books = books;
    }

    /** The instances that there is a service of. */
    public Set<String> instances() {
        return services.keySet();
    }

    /** Answers a request, whatever it is. */
    public HttpReply answer(HttpExchange exchange) {
        InetAddress source = exchange.getRemoteAddress().getAddress();
        return owner(source.getHostAddress())
                .flatMap(instance -> Optional.ofNullable(services.get(instance)))
                .map(service -> service.answer(exchange))
                .orElseGet(() -> new FullReply(
                        404,
                        "text/plain;charset=utf-8",
                        "404 - no instance has the address " + source.getHostAddress() + "\n"));
    }

    private Optional<String> owner(String address) {
        return books.get().enis().values().stream()
                .filter(eni -> eni.addressesTaken().contains(address))
                .findFirst()
                .flatMap(EmulatedEni::instanceId);
    }
}
