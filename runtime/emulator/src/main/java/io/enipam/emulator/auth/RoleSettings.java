package io.enipam.emulator.auth;

import java.time.Duration;

/**
 * How the credentials of the instances' role come and go. Immutable.
 *
 * @param rotation how often new ones are given out, in whole seconds, at least one
 * @param lifetime how long each is good, at least as long as the rotation and at most 56 times as long
 */
public record RoleSettings(Duration rotation, Duration lifetime) {
    /** The most rotations that credentials may outlive. */
    static final int MOST_ROTATIONS = 56;

    /** New ones every three hours, each good for six, as the real service does. */
    public static final RoleSettings USUAL = new RoleSettings(Duration.ofHours(3), Duration.ofHours(6));

    public RoleSettings {
        if (rotation.toSeconds() < 1 || rotation.getNano() != 0) {
            throw new IllegalArgumentException(
                    "role credentials must rotate every second at most, in whole seconds, not every " + rotation);
        }
        if (lifetime.compareTo(rotation) < 0 || lifetime.compareTo(rotation.multipliedBy(MOST_ROTATIONS)) > 0) {
            throw new IllegalArgumentException("role credentials must live 1 to " + MOST_ROTATIONS + " rotations, not "
                    + lifetime + " with a rotation every " + rotation);
        }
    }

    /** New ones at that interval, each good for two of them. */
    public static RoleSettings every(Duration rotation) {
        return new RoleSettings(rotation, rotation.multipliedBy(2));
    }
}
