package io.enipam.datapath.netlink;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.enipam.datapath.netlink.KernelChange.LinkRemoval;
import io.enipam.datapath.netlink.KernelChange.Outcome;
import io.enipam.datapath.netlink.NetlinkHelper.HelperFailedException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.IntSupplier;

/**
 * Deletions of links that wait together go in one request. The kernel waits some 20 ms after a deletion, until no processor can still see
 * the link, and for all links of one group it waits once. So one round is under way at a time; what comes meanwhile forms the next, which
 * its first caller leads when the round before has ended. Blocks its callers; thread-safe.
 *
 * <p>Links go after all else of a round. They get a group that no link has at that time, drawn anew for each round, and the group is
 * deleted. So no foreign link is ever in it, and a link that a crash has left in a group is in none of a later round.
 */
final class LinkRemovals {
    private static final Path LINKS = Path.of("/sys/class/net");
    /** The groups are from here on, far above those that people give. */
    private static final int FIRST_GROUP = 0x656e_0000;

    private static final int GROUPS = 0x1_0000;
    private static final int ENODEV = 19;
    /** How long a round that had to wait stays open for callers whom the round before has just answered. */
    private static final long OPEN_MILLIS = 2;

    private final BiFunction<String, List<KernelChange>, List<Outcome>> request;
    private final IntSupplier groups;
    /** Held while a round is under way; one leader waits at most. */
    private final ReentrantLock underWay = new ReentrantLock();

    @GuardedBy("this")
    private Round open = new Round();

    LinkRemovals(BiFunction<String, List<KernelChange>, List<Outcome>> request) {
        this(request, () -> FIRST_GROUP + ThreadLocalRandom.current().nextInt(GROUPS));
    }

    /** @param groups draws the number of a group; asked again while a link is in that one */
    LinkRemovals(BiFunction<String, List<KernelChange>, List<Outcome>> request, IntSupplier groups) {
        this.request = request;
        this.groups = groups;
    }

    /** Makes all changes in this process's namespace, with those of others that remove links. */
    List<Outcome> make(List<KernelChange> changes) {
        Round mine;
        int place;
        synchronized (this) {
            mine = open;
            place = mine.batches.size();
            mine.batches.add(changes);
        }
        if (place == 0) {
            lead(mine);
        }
        try {
            return mine.outcomes.join().get(place);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void lead(Round round) {
        boolean first = underWay.tryLock();
        if (!first) {
            underWay.lock();
        }
        try {
            if (!first) {
                TimeUnit.MILLISECONDS.sleep(OPEN_MILLIS);
            }
            close(round);
            round.outcomes.complete(made(round.batches));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close(round);
            round.outcomes.completeExceptionally(new HelperFailedException("was interrupted"));
        } catch (RuntimeException | Error e) {
            round.outcomes.completeExceptionally(e);
        } finally {
            underWay.unlock();
        }
    }

    /** From here on no batch joins it. */
    private synchronized void close(Round round) {
        if (open == round) {
            open = new Round();
        }
    }

    private List<List<Outcome>> made(List<List<KernelChange>> batches) {
        List<KernelChange> all = batches.stream().flatMap(List::stream).toList();
        Set<String> links = new LinkedHashSet<>();
        all.forEach(change -> {
            if (change instanceof LinkRemoval removal) {
                links.add(removal.link());
            }
        });
        List<Outcome> outcomes = links.size() > 1 ? together(all) : request.apply("", all);
        List<List<Outcome>> each = new ArrayList<>();
        int from = 0;
        for (List<KernelChange> batch : batches) {
            each.add(outcomes.subList(from, from + batch.size()));
            from += batch.size();
        }
        return each;
    }

    private List<Outcome> together(List<KernelChange> all) {
        int group = unusedGroup();
        List<KernelChange> changes = new ArrayList<>(all);
        changes.replaceAll(
                change -> change instanceof LinkRemoval removal ? Rtnetlink.group(removal.link(), group) : change);
        changes.add(Rtnetlink.removeGroup(group));
        List<Outcome> outcomes = new ArrayList<>(request.apply("", changes));
        Outcome whole = outcomes.remove(all.size());
        if (whole.errno() != 0 && whole.errno() != ENODEV) {
            // one of them may be what cannot be deleted: it is not to keep the others
            return request.apply("", all);
        }
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i) instanceof LinkRemoval && outcomes.get(i).errno() == 0) {
                outcomes.set(i, whole);
            }
        }
        return outcomes;
    }

    private int unusedGroup() {
        Set<Integer> used = usedGroups();
        int group = groups.getAsInt();
        while (used.contains(group)) {
            group = groups.getAsInt();
        }
        return group;
    }

    private static Set<Integer> usedGroups() {
        Set<Integer> used = new HashSet<>();
        try (DirectoryStream<Path> links = Files.newDirectoryStream(LINKS)) {
            for (Path link : links) {
                group(link).ifPresent(used::add);
            }
        } catch (IOException e) {
            throw new HelperFailedException("the groups of the node's links cannot be read: " + e.getMessage());
        }
        return used;
    }

    private static Optional<Integer> group(Path link) {
        try {
            return Optional.of(Integer.parseUnsignedInt(
                    Files.readString(link.resolve("netdev_group")).trim()));
        } catch (IOException e) {
            // it is going away, or is the file by which bonds are made
            return Optional.empty();
        }
    }

    /** Batches that are made by one request; {@code batches} is guarded by the enclosing object until it is closed. */
    private static final class Round {
        private final List<List<KernelChange>> batches = new ArrayList<>();
        private final CompletableFuture<List<List<Outcome>>> outcomes = new CompletableFuture<>();
    }
}
