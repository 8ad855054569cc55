package io.enipam.shell.pool;

import io.enipam.shell.core.ListPrinter;
import io.enipam.shell.core.OutputFormat;
import io.enipam.shell.core.Palette;
import io.enipam.shell.core.RenderContext;
import io.enipam.shell.core.StreamingTable;
import io.enipam.shell.core.Table;
import io.enipam.shell.core.TimeFormat;
import io.enipam.shell.core.Tone;
import io.enipam.v1.DrainPoolReply;
import io.enipam.v1.HistorySample;
import io.enipam.v1.Lease;
import io.enipam.v1.Pool;
import io.enipam.v1.PoolCounts;
import io.enipam.v1.PoolOrder;
import io.enipam.v1.PoolProspect;
import io.enipam.v1.Resource;
import io.enipam.v1.RetryPoolReply;
import io.enipam.v1.SyncFinding;
import io.enipam.v1.SyncReport;
import io.enipam.v1.WarmPoolReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** The pool: its figures and their history, its addresses, capacity overrides, and comparisons with the cloud. */
public final class PoolViews {
    private static final List<String> SYNC_KINDS = List.of("LOST", "CLASH", "REGAINED", "ADOPTED", "RETURNED");

    private static final String NOT_DRAINED = "the pool is not drained, so there is nothing to undo";

    private PoolViews() {}

    /** The figures of a sample. */
    static Pool past(HistorySample sample) {
        return Pool.newBuilder()
                .setCapacity(sample.getCapacity())
                .setMinIdle(sample.getMinIdle())
                .setMaxIdle(sample.getMaxIdle())
                .setCounts(sample.getCounts())
                .setWaiting(sample.getWaiting())
                .build();
    }

    /** The same as a picture; the daemon takes a sample every few seconds, as long as it runs. */
    static List<String> past(Pool pool, HistorySample sample, RenderContext look) {
        List<String> lines = new ArrayList<>(pool(pool, look));
        lines.add(look.paint(Tone.LABEL, "sampled at " + look.clock(sample.getAt())));
        lines.add(ListPrinter.notRecorded(look));
        return lines;
    }

    public static List<String> pool(Pool pool, RenderContext look) {
        PoolCounts counts = pool.getCounts();
        return Table.details()
                .detail("kind", Table.cell(pool.getKind()))
                .detail("policy", Table.cell(pool.getPolicy()))
                .detail("capacity", pool.getCapacity())
                .detail("watermarks", "keeps " + pool.getMinIdle() + " to " + pool.getMaxIdle() + " idle")
                .detail("in use", counts.getInUse())
                .detail("idle", counts.getIdle())
                .detail("cooling", counts.getCooling())
                .detail("reserved", counts.getReserved())
                .detail("creating", counts.getCreating())
                .detail("disposing", counts.getDisposing())
                .detail("invalid", counts.getInvalid())
                .detail("waiting", pool.getWaiting())
                .detailIf(pool.hasOrder(), "told", new Table.Cell(override(pool, look), Tone.WAIT))
                .lines(look);
    }

    /** The addresses of one pod, as part of a larger picture. */
    public static List<String> inUse(List<Lease> leases, RenderContext look) {
        return new StreamingTable<>(PoolListings.IN_USE.columns(false), OutputFormat.TABLE).lines(leases, look);
    }

    public static String addresses(Resource resource) {
        return String.join(", ", resource.getAddressesList());
    }

    /** The ENI that an address is on; a whole ENI is its own. */
    public static String eni(Resource resource) {
        return resource.getKind().equals("eni") ? resource.getId() : resource.getParent();
    }

    /** A container id as container runtimes show it: its first 12 characters if it is a full 64. */
    public static String container(String id) {
        return id.length() == 64 ? id.substring(0, 12) : id;
    }

    static List<String> sync(SyncReport report, RenderContext look) {
        List<String> lines = new ArrayList<>();
        lines.add(syncSummary(report) + ", in " + TimeFormat.took(report.getTook()));
        lines.addAll(Table.listed(look, report.getFindingsList(), "FOUND  ADDRESS  ENI  POD  WHAT IT MEANS", found -> {
            Resource what = found.getResource();
            Table.Cell kind = Table.state(found.getKind());
            return Table.cells(kind, addresses(what), what.getParent(), found.getPod(), found.getDetail());
        }));
        report.getProblemsList().forEach(problem -> lines.add(look.paint(Tone.BAD, "problem: " + problem)));
        return lines;
    }

    /** {@code compared 14 addresses, 1 lost, 2 adopted}. */
    public static String syncSummary(SyncReport report) {
        List<String> parts = new ArrayList<>(List.of("compared " + addresses(report.getListed())));
        List<String> found =
                report.getFindingsList().stream().map(SyncFinding::getKind).toList();
        for (String kind : SYNC_KINDS) {
            int count = Collections.frequency(found, kind);
            if (count > 0) {
                parts.add(count + " " + (kind.equals("CLASH") ? "in two places" : kind.toLowerCase(Locale.ROOT)));
            }
        }
        if (report.getProblemsCount() > 0) {
            parts.add(Table.counted(report.getProblemsCount(), "problem"));
        } else if (parts.size() == 1) {
            parts.add("all is as it should be");
        }
        return String.join(", ", parts);
    }

    /** The capacity override in force, and for how much of it the pool has capacity. */
    public static String override(Pool pool, RenderContext look) {
        PoolOrder order = pool.getOrder();
        PoolCounts counts = pool.getCounts();
        int taken = counts.getInUse() + counts.getCooling() + counts.getReserved() + counts.getDisposing();
        int room = Math.max(0, pool.getCapacity() - taken);
        boolean narrow = order.getKind().equals("WARM") && room < order.getIdle();
        return override(order, look) + (narrow ? ", but there is room for " + room : "");
    }

    /** {@code drained for 5m: fills no more}, {@code warm: keeps 20 idle for 9m more}. */
    private static String override(PoolOrder order, RenderContext look) {
        return switch (order.getKind()) {
            case "DRAINED" -> "drained for " + look.age(order.getSince()) + ": fills no more";
            case "WARM" -> "warm: keeps " + order.getIdle() + " idle for " + look.left(order.getUntil()) + " more";
            default -> order.getKind();
        };
    }

    static List<String> warmed(WarmPoolReply reply, RenderContext look) {
        PoolProspect prospect = reply.getProspect();
        List<String> lines = new ArrayList<>();
        boolean dry = reply.getDryRun();
        int asked = reply.getOrder().getIdle();
        int missing = prospect.getMissing();
        lines.add(addresses(prospect.getIdle()) + " idle; " + (dry ? "would make " : "making ")
                + prospect.getMakes() + " more, and " + (dry ? "keep " : "keeps ")
                + (missing == 0 ? asked : asked - missing + " of the " + asked + " asked for")
                + " until " + look.clock(reply.getOrder().getUntil()));
        if (missing > 0) {
            String room = "there is no room for " + missing + ": the node can have no more addresses";
            lines.add(look.paint(Tone.WAIT, room));
        }
        if (reply.getEndedDrain()) {
            lines.add(dry ? "the drain would end" : "the drain has ended");
        }
        return lines;
    }

    static List<String> retried(RetryPoolReply reply, RenderContext look) {
        String before = reply.getLastFailure().isEmpty()
                ? "nothing has failed before"
                : "before: " + reply.getLastFailure() + " (failing for " + look.age(reply.getFailingSince()) + ")";
        return List.of(Palette.clean("asked again; " + reply.getWaiting() + " waiting; " + before));
    }

    static List<String> drained(DrainPoolReply reply, RenderContext look) {
        PoolProspect prospect = reply.getProspect();
        boolean dry = reply.getDryRun();
        if (!reply.hasOrder()) {
            String filled = "the pool " + (dry ? "would fill" : "fills") + " again as its policy wants";
            return List.of(reply.getChanged() ? filled : NOT_DRAINED);
        } else if (!reply.getOrder().getKind().equals("DRAINED")) {
            return List.of(NOT_DRAINED + "; it is " + Palette.clean(override(reply.getOrder(), look)));
        }
        List<String> lines = new ArrayList<>();
        lines.add((dry ? "would give back " : reply.getChanged() ? "giving back " : "drained already; still to go: ")
                + addresses(prospect.getGives()) + ", and " + (dry ? "would fill" : "fills") + " no more");
        if (prospect.getKeeps() > 0) {
            String why = " kept for now: primary, to go with the ENI after all others on it";
            lines.add(addresses(prospect.getKeeps()) + why);
        }
        if (prospect.getHeld() > 0) {
            lines.add(addresses(prospect.getHeld()) + " cooling or reserved: they go when that ends");
        }
        if (prospect.getInUse() > 0) {
            lines.add(addresses(prospect.getInUse()) + " in use: they go when their pods do");
        }
        if (look.advice() && !dry) {
            lines.add(look.paint(Tone.LABEL, "it stays so over a restart; to fill the pool again: pool drain --undo"));
        }
        return lines;
    }

    private static String addresses(int count) {
        return count + (count == 1 ? " address" : " addresses");
    }

    /** Where in a history the daemon restarted, below it. */
    static List<String> restarts(List<HistorySample> samples, RenderContext look) {
        return samples.stream()
                .filter(sample -> !sample.getRestarted().isEmpty())
                .map(sample -> look.paint(
                        Tone.WAIT,
                        look.clock(sample.getAt()) + "  daemon restarted (" + Palette.clean(sample.getRestarted())
                                + ") before this row"))
                .toList();
    }
}
