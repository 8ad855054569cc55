package io.enipam.shell.pool;

import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.WarmPoolReply;
import java.util.ArrayList;
import java.util.List;

/** What somebody told the pool over what its policy wants. */
public final class CapacityOverrideViews {
    private CapacityOverrideViews() {}

    /** The order in force, with how much of it the pool has room for. */
    public static String describe(Pool pool, RenderContext look) {
        PoolOrder order = pool.getOrder();
        PoolCounts counts = pool.getCounts();
        int room = Math.max(
                0,
                pool.getCapacity()
                        - counts.getInUse()
                        - counts.getCooling()
                        - counts.getReserved()
                        - counts.getDisposing());
        return describe(order, look)
                + (order.getKind().equals("WARM") && room < order.getIdle() ? ", but there is room for " + room : "");
    }

    /** An order in a few words: {@code drained for 5m}, {@code warm: keeps 20 idle for 9m more}. */
    public static String describe(PoolOrder order, RenderContext look) {
        return switch (order.getKind()) {
            case "DRAINED" -> "drained for " + TimeFormat.age(order.getSince(), look.now()) + ": fills no more";
            case "WARM" ->
                "warm: keeps " + order.getIdle() + " idle for " + TimeFormat.left(order.getUntil(), look.now())
                        + " more";
            default -> order.getKind();
        };
    }

    public static List<String> warmed(WarmPoolReply reply, RenderContext look) {
        PoolProspect prospect = reply.getProspect();
        List<String> lines = new ArrayList<>();
        lines.add(addresses(prospect.getIdle()) + " idle; " + (reply.getDryRun() ? "would make " : "making ")
                + prospect.getMakes() + " more, and " + (reply.getDryRun() ? "keep " : "keeps ")
                + kept(reply) + " until "
                + TimeFormat.clock(reply.getOrder().getUntil(), look.zone()));
        if (prospect.getMissing() > 0) {
            lines.add(look.palette()
                    .paint(
                            Tone.WAIT,
                            "there is no room for " + prospect.getMissing() + ": the node can have no more addresses"));
        }
        if (reply.getEndedDrain()) {
            lines.add(reply.getDryRun() ? "the drain would end" : "the drain has ended");
        }
        return lines;
    }

    /** What does not fit is not promised. */
    private static String kept(WarmPoolReply reply) {
        int asked = reply.getOrder().getIdle();
        int missing = reply.getProspect().getMissing();
        return missing == 0 ? Integer.toString(asked) : asked - missing + " of the " + asked + " asked for";
    }

    public static List<String> drained(DrainPoolReply reply, RenderContext look) {
        PoolProspect prospect = reply.getProspect();
        if (!reply.hasOrder()) {
            return List.of(
                    !reply.getChanged()
                            ? "the pool is not drained, so there is nothing to undo"
                            : reply.getDryRun()
                                    ? "the pool would fill again as its policy wants"
                                    : "the pool fills again as its policy wants");
        }
        if (!reply.getOrder().getKind().equals("DRAINED")) {
            return List.of("the pool is not drained, so there is nothing to undo; it is "
                    + Palette.clean(describe(reply.getOrder(), look)));
        }
        boolean dry = reply.getDryRun();
        List<String> lines = new ArrayList<>();
        lines.add((dry ? "would give back " : reply.getChanged() ? "giving back " : "drained already; still to go: ")
                + addresses(prospect.getGives()) + ", and " + (dry ? "would fill" : "fills") + " no more");
        if (prospect.getKeeps() > 0) {
            lines.add(addresses(prospect.getKeeps())
                    + " kept for now: primary, to go with the ENI after all others on it");
        }
        if (prospect.getHeld() > 0) {
            lines.add(addresses(prospect.getHeld()) + " cooling or reserved: they go when that ends");
        }
        if (prospect.getInUse() > 0) {
            lines.add(addresses(prospect.getInUse()) + " in use: they go when their pods do");
        }
        if (look.advice() && !dry) {
            lines.add(look.palette()
                    .paint(Tone.LABEL, "it stays so over a restart; to fill the pool again: pool drain --undo"));
        }
        return lines;
    }

    private static String addresses(int count) {
        return count + (count == 1 ? " address" : " addresses");
    }
}
