package io.enipam.frontends.rpc;

import io.enipam.frontends.grpc.GrpcFailures;
import io.enipam.frontends.grpc.PeerCredentialNegotiator;
import io.enipam.frontends.grpc.PeerCredentialNegotiator.Peer;
import io.enipam.v1.InspectGrpc;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers' permissions: root and the daemon's own user may call everything, members of the group {@value #GROUP}
 * may call what changes nothing: Inspect, and those methods of plugins' services that are marked as safe. Other users
 * may call nothing. A call is refused before its message is read. Thread-safe.
 *
 * @param masters the users who may do everything
 */
record AccessRules(Set<Integer> masters, BiPredicate<Peer, String> membership) implements ServerInterceptor {
    /** The caller, for a handler that serves the call on the call's own thread. */
    private static final Context.Key<Peer> CALLER = Context.key("enipam-caller");

    /** The group whose members may inspect. */
    static final String GROUP = "enipam";

    /** The daemon's own services that change nothing. */
    private static final Set<String> READING =
            Set.of(InspectGrpc.SERVICE_NAME, HealthGrpc.SERVICE_NAME, ServerReflectionGrpc.SERVICE_NAME);

    private static final int ROOT = 0;

    /** Root and the daemon's user, by this host's groups. */
    static AccessRules ofThisHost(int ownUid) {
        Set<Integer> masters = ownUid == ROOT ? Set.of(ROOT) : Set.of(ROOT, ownUid);
        return new AccessRules(masters, SystemGroups.ofThisHost()::isMember);
    }

    /** The caller of the call that this thread serves, for traces. */
    static String caller() {
        Peer peer = CALLER.get();
        return peer == null ? "shell" : "shell, uid " + Integer.toUnsignedString(peer.uid()) + ", pid " + peer.pid();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Peer peer = call.getAttributes().get(PeerCredentialNegotiator.PEER);
        if (peer != null && allows(peer, call.getMethodDescriptor())) {
            return Contexts.interceptCall(Context.current().withValue(CALLER, peer), call, headers, next);
        }
        return PeerCredentialNegotiator.refuse(
                call,
                "root and the daemon's user may do everything, members of group " + GROUP + " may inspect",
                GrpcFailures::of);
    }

    boolean allows(Peer peer, MethodDescriptor<?, ?> method) {
        return masters.contains(peer.uid()) || reads(method) && membership.test(peer, GROUP);
    }

    /** Whether a method is known to change nothing; any other counts as one that changes something. */
    static boolean reads(MethodDescriptor<?, ?> method) {
        return method.isSafe() || READING.contains(String.valueOf(method.getServiceName()));
    }

    /**
     * The members of a group, by the system's {@code passwd} and {@code group} files (passwd(5), group(5)). Read at
     * each question, so that a change needs no restart; the files are small and questions are rare.
     */
    record SystemGroups(Path passwd, Path group) {
        private static final Logger LOG = LoggerFactory.getLogger(SystemGroups.class);

        static SystemGroups ofThisHost() {
            return new SystemGroups(Path.of("/etc/passwd"), Path.of("/etc/group"));
        }

        /** Whether the peer's primary group is this one, in its credentials or in passwd, or the group lists its user. */
        boolean isMember(Peer peer, String groupName) {
            Optional<List<String>> entry = first(group, 0, groupName);
            if (entry.isEmpty() || entry.get().size() < 4) {
                return false;
            }
            String gid = entry.get().get(2);
            List<String> listed = Arrays.asList(entry.get().get(3).split(","));
            Optional<List<String>> user = first(passwd, 2, Integer.toUnsignedString(peer.uid()));
            return gid.equals(Integer.toString(peer.gid()))
                    || user.filter(u -> u.size() > 3 && u.get(3).equals(gid)).isPresent()
                    || user.filter(u -> listed.contains(u.get(0))).isPresent();
        }

        private static Optional<List<String>> first(Path file, int field, String value) {
            // the names of people in it may have any encoding; those of users and groups have ASCII
            try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
                return lines.map(line -> Arrays.asList(line.split(":", -1)))
                        .filter(fields ->
                                fields.size() > field && fields.get(field).equals(value))
                        .findFirst();
            } catch (IOException | UncheckedIOException e) {
                LOG.warn("{} cannot be read, so no user counts as a member of a group: {}", file, e.toString());
                return Optional.empty();
            }
        }
    }
}
