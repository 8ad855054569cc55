package io.enipam.examples.prefix;

import io.enipam.examples.prefix.PrefixBook.Nic;
import io.enipam.examples.prefix.PrefixBook.Prefix;
import io.enipam.sdk.cloud.Cloud;
import io.enipam.sdk.cloud.Outcome;
import java.time.Clock;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Gives back the prefixes none of whose addresses is out, but for the spare ones, and the ENIs without any. One call at a time, on
 * the factory's thread. Prefixes of the ENI that has the fewest go first, so that whole ENIs become free.
 */
final class PrefixReturn {
    private final Cloud cloud;
    private final PrefixBook book;
    private final int spare;
    private final Clock clock;
    private final OwnThread thread;
    private boolean working;

    /** @param spare prefixes without an address that are kept */
    PrefixReturn(Cloud cloud, PrefixBook book, int spare, Clock clock, OwnThread thread) {
        this.cloud = cloud;
        this.book = book;
        this.spare = spare;
        this.clock = clock;
        this.thread = thread;
    }

    boolean atWork() {
        return working;
    }

    /**
     * Begins, if there is something to give back; no effect while it is at work.
     *
     * @param after called when it is over, with whether it has worked
     */
    void begin(Consumer<Boolean> after) {
        if (working) {
            return;
        }
        Optional<Nic> useless =
                book.nics().stream().filter(nic -> nic.prefixes.isEmpty()).findFirst();
        if (useless.isPresent()) {
            giveBack(useless.get(), after);
            return;
        }
        List<Prefix> going = surplus();
        if (!going.isEmpty()) {
            Nic nic = going.get(0).nic;
            unassign(
                    nic,
                    going.stream()
                            .filter(prefix -> prefix.nic == nic)
                            .limit(PrefixBook.MOST_A_CALL)
                            .toList(),
                    after);
        }
    }

    /** Those that were on their way already come first. */
    private List<Prefix> surplus() {
        List<Prefix> empty = book.prefixes().stream()
                .filter(prefix -> prefix.lent == 0 && !prefix.leaving)
                .sorted(Comparator.comparingInt(prefix -> prefix.nic.prefixes.size()))
                .toList();
        return Stream.concat(
                        book.prefixes().stream().filter(prefix -> prefix.leaving),
                        empty.stream().limit(Math.max(0, empty.size() - spare)))
                .toList();
    }

    private void unassign(Nic nic, List<Prefix> some, Consumer<Boolean> after) {
        some.forEach(prefix -> prefix.leaving = true);
        List<String> cidrs = some.stream().map(prefix -> prefix.cidr).toList();
        then(cloud.unassignPrefixes(nic.id, cidrs), outcome -> {
            if (outcome instanceof Outcome.NotDone<Boolean> notDone) {
                // what may be gone is not lent again; the next list or disposal tries again
                some.forEach(prefix -> prefix.leaving = notDone.unknown());
                after.accept(false);
                return;
            }
            some.forEach(prefix -> book.remove(prefix, clock.instant()));
            nic.full = false;
            after.accept(true);
        });
    }

    /** Where that fails, the next list finds the ENI in use, or the daemon sweeps it. */
    private void giveBack(Nic nic, Consumer<Boolean> after) {
        book.remove(nic, clock.instant());
        then(
                cloud.detach(nic.id)
                        .thenCompose(detached -> detached.fold(
                                done -> cloud.delete(nic.id), notDone -> CompletableFuture.completedStage(detached))),
                outcome -> after.accept(outcome instanceof Outcome.Done<Boolean>));
    }

    private <T> void then(CompletionStage<T> stage, Consumer<T> next) {
        working = true;
        thread.then(
                stage,
                value -> {
                    working = false;
                    next.accept(value);
                },
                // the next opening finds what is left
                () -> {});
    }
}
