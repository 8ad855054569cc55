package io.enipam.sdk;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A service of gRPC that a {@link Part} brings ({@link Part#services}), on the daemon's own socket {@code enipam.sock}: with its
 * callers, their rights, its audit log and its limits.
 *
 * <p>Requests and replies are bytes here, the messages of the service as they are on the wire. So the plugin chooses the library that
 * reads and writes them, protobuf as a rule, and brings it along; it needs none of gRPC, and shares no class of either with the daemon.
 *
 * @param name in full: {@code enipam.}, the plugin's id with {@code _} for {@code -}, and the rest, as in {@code enipam.swarm.v1.Swarm}.
 *     No other part has it: a part that breaks this runs without its commands, checks and services; {@code events} and {@code doctor} say
 *     why
 * @param descriptors the files that describe it, by which {@code grpcurl} and the audit log read its messages: a
 *     {@code google.protobuf.FileDescriptorSet} with all imports, each behind those that it imports
 */
public record RpcService(String name, byte[] descriptors, List<RpcMethod> methods) {
    private static final Pattern NAME =
            Pattern.compile("enipam(\\.[a-z][a-z0-9_]{0,62}){1,4}\\.[A-Z][A-Za-z0-9]{0,63}");
    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Za-z0-9]{0,63}");

    public RpcService {
        methods = List.copyOf(methods);
        descriptors = descriptors.clone();
        Text.require("service", name, NAME);
        methods.forEach(method -> Text.require("method", method.name(), METHOD));
        long different = methods.stream().map(RpcMethod::name).distinct().count();
        if (different != methods.size()) {
            throw new IllegalArgumentException("two methods of " + name + " have one name");
        }
    }

    /** A copy. */
    @Override
    public byte[] descriptors() {
        return descriptors.clone();
    }
}
