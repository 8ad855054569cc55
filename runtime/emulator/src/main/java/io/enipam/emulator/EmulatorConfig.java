package io.enipam.emulator;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A cloud to emulate.
 *
 * @param listen where ECS and VPC answer; port 0 takes a free one
 * @param metadataListen where the metadata service of the first instance answers; port 0 takes a free one
 * @param region region id
 * @param zone zone id
 * @param instanceTypes the type of each instance, at least one
 * @param vswitches vSwitch id to CIDR, at least one, in order
 * @param accessKeyId the account's key
 * @param accessKeySecret the account's secret
 * @param stateFile where the cloud's state is kept over a restart; empty: in memory alone
 * @param latency how long calls and state changes take
 * @param seed of everything random
 */
public record EmulatorConfig(
        InetSocketAddress listen,
        InetSocketAddress metadataListen,
        String region,
        String zone,
        List<String> instanceTypes,
        Map<String, String> vswitches,
        String accessKeyId,
        String accessKeySecret,
        Optional<Path> stateFile,
        Latency latency,
        long seed) {
    /** How long things take. */
    public enum Latency {
        /** Everything at once. */
        NONE,
        /** As in the real cloud: calls take 50 ms to 1.5 s, an attach 2 to 5 s. */
        REAL
    }
}
