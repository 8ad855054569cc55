package ${package};

import io.enipam.sdk.PoolPolicy;
import io.enipam.sdk.PoolSnapshot;
import io.enipam.sdk.ResourceState;
import io.enipam.sdk.Setting;
import io.enipam.sdk.Settings;
import io.enipam.sdk.Target;

/**
 * Keeps idle addresses in proportion to those in use: a node with two hundred pods starts more of them at once than one with
 * ten. The configured watermarks stay the least it keeps. Immutable and thread-safe.
 */
final class ${className}Policy implements PoolPolicy {
    /** The name by which enipam.yaml and the shell know it. */
    static final String NAME = "${artifactId}";

    static final Setting<Integer> HEADROOM = Setting.wholeNumber("headroom", 0, 100, 10)
            .unit("percent")
            .doc("Idle addresses to keep, in percent of those in use.");

    private final int percent;

    ${className}Policy(Settings settings) {
        percent = settings.get(HEADROOM);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Target target(PoolSnapshot pool) {
        int inUse = pool.count(ResourceState.IN_USE);
        int room = Math.max(0, pool.capacity() - inUse);
        int wanted = Math.max(pool.minIdle(), shareOf(inUse));
        int slack = pool.maxIdle() - pool.minIdle();
        return Target.between(Math.min(wanted, room), Math.min(wanted + slack, room));
    }

    /** The percentage, rounded up: one in use is reason enough to keep one idle. */
    private int shareOf(int inUse) {
        return (inUse * percent + 99) / 100;
    }
}
