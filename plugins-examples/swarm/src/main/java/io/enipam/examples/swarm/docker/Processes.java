package io.enipam.examples.swarm.docker;

import io.enipam.sdk.Peer;
import java.util.Optional;

/**
 * Tells processes of dockerd apart, by which the driver knows a replay from a request of another network: a dockerd that starts asks for
 * what it had as if it were new, and the one that had it is gone.
 */
interface Processes {
    /** How a process ends in text that this host does not see: by {@code hidepid}, or in a container without the host's processes. */
    String UNSEEN = "/unknown";

    /** The process at the other end. */
    String client(Optional<Peer> peer);

    /** Whether it has ended. False where that is not known: a process of another host, or one that this host does not see. */
    boolean gone(String client);

    /** Of this host, by the kernel: {@code NODE/PID@START}. */
    static Processes of(String node) {
        return new Processes() {
            @Override
            public String client(Optional<Peer> peer) {
                return peer.flatMap(from -> running(from.pid()))
                        .map(process -> node + "/" + process)
                        .orElse(node + UNSEEN);
            }

            @Override
            public boolean gone(String client) {
                String here = node + "/";
                int at = client.lastIndexOf('@');
                return client.startsWith(here)
                        && at > here.length()
                        && !running(Long.parseLong(client.substring(here.length(), at)))
                                .equals(Optional.of(client.substring(here.length())));
            }
        };
    }

    private static Optional<String> running(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().startInstant())
                .map(start -> pid + "@" + start.toEpochMilli());
    }
}
