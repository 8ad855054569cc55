package io.enipam.emulator.cloud;

import java.time.Instant;

/**
 * A virtual machine; always Running.
 *
 * @param id {@code i-...}
 * @param type a key of {@link InstanceTypes}
 * @param hostname its name inside and outside
 * @param vswitchId of its primary ENI
 * @param created when
 */
public record Instance(String id, String type, String hostname, String vswitchId, Instant created) {}
