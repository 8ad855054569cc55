package io.enipam.emulator.api;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Credentials of the instance's RAM role. The security token goes with every call; neither it nor the secret is ever
 * shown.
 */
public record RoleCredentials(
        String accessKeyId, String accessKeySecret, String securityToken, Instant issued, Instant expires) {
    @Override
    public String toString() {
        return "RoleCredentials[accessKeyId=" + accessKeyId + ", accessKeySecret=***, securityToken=***, issued="
                + issued + ", expires=" + expires + "]";
    }

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
                throw new IllegalArgumentException("role credentials must live 1 to " + MOST_ROTATIONS
                        + " rotations, not " + lifetime + " with a rotation every " + rotation);
            }
        }

        /** New ones at that interval, each good for two of them. */
        public static RoleSettings every(Duration rotation) {
            return new RoleSettings(rotation, rotation.multipliedBy(2));
        }
    }

    /**
     * The credentials of the instances' role. Those that rotate follow from seed and time, so none is stored and a restart
     * changes none; those that replace ones that were made to expire early are known until the restart. Thread-safe.
     */
    static final class Issuer {
        private final long seed;
        private final RoleSettings settings;
        private final List<Instant> replacements = new ArrayList<>();
        private final Set<String> expired = new HashSet<>();

        Issuer(long seed, RoleSettings settings) {
            this.seed = seed;
            this.settings = settings;
        }

        /** What the metadata service gives out. */
        synchronized RoleCredentials newest(Instant now) {
            RoleCredentials rotated = rotated(period(now));
            int last = replacements.size() - 1;
            boolean replaced = last >= 0 && !replacements.get(last).isBefore(rotated.issued());
            return replaced ? replacement(last) : rotated;
        }

        /** The credentials of that key, expired ones of the last rotations included. */
        synchronized Optional<RoleCredentials> find(String key, Instant now) {
            long newest = period(now);
            for (long age = 0; age <= RoleSettings.MOST_ROTATIONS; age++) {
                RoleCredentials candidate = rotated(newest - age);
                if (candidate.accessKeyId().equals(key)) {
                    return Optional.of(candidate);
                }
            }
            for (int i = 0; i < replacements.size(); i++) {
                RoleCredentials candidate = replacement(i);
                if (candidate.accessKeyId().equals(key)) {
                    return Optional.of(candidate);
                }
            }
            return Optional.empty();
        }

        synchronized boolean isOver(RoleCredentials credentials, Instant now) {
            return !now.isBefore(credentials.expires()) || expired.contains(credentials.accessKeyId());
        }

        /** Ends the time of good credentials; if they are the newest, others follow at once. False if there are none. */
        synchronized boolean expire(String key, Instant now) {
            boolean good = find(key, now).filter(found -> !isOver(found, now)).isPresent();
            if (good) {
                boolean newest = newest(now).accessKeyId().equals(key);
                expired.add(key);
                if (newest) {
                    replacements.add(now);
                }
            }
            return good;
        }

        private long period(Instant now) {
            return Math.floorDiv(now.getEpochSecond(), settings.rotation().toSeconds());
        }

        private RoleCredentials rotated(long period) {
            return drawn(
                    new SplittableRandom(seed * 31 + period),
                    Instant.ofEpochSecond(period * settings.rotation().toSeconds()));
        }

        private RoleCredentials replacement(int index) {
            long stream = new SplittableRandom(seed ^ 0x726f6c65L).nextLong();
            return drawn(new SplittableRandom(stream + index), replacements.get(index));
        }

        private RoleCredentials drawn(SplittableRandom random, Instant issued) {
            Duration lifetime = settings.lifetime();
            return new RoleCredentials(
                    "STS." + hex(random),
                    hex(random) + hex(random),
                    hex(random) + hex(random) + hex(random),
                    issued,
                    issued.plus(lifetime));
        }

        private static String hex(SplittableRandom random) {
            return Long.toHexString(random.nextLong());
        }
    }
}
