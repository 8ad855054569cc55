package io.enipam.daemon.campaign;

import io.enipam.engine.lease.AddCommand;
import io.enipam.engine.lease.AddProcedure.AddOutcome;
import io.enipam.engine.model.ErrorCode;
import io.enipam.engine.model.IpamException;
import io.enipam.engine.model.OwnerKey;
import io.enipam.engine.simulation.MemoryPods;
import io.enipam.sdk.PodRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * One of the threads with which a kubelet makes and ends sandboxes. What it is not told it finds out: an ADD without an answer
 * is asked again or taken back, a DEL is sent until it is answered.
 */
final class Kubelet implements Runnable {
    /** How long an ADD waits, in the node's time. */
    static final Duration PATIENCE = Duration.ofSeconds(40);
    /** What a busy machine may add, in our time. */
    private static final Duration SLACK = Duration.ofSeconds(20);

    private static final int TRIES = 400;
    /** Pods of one thread's at a time: together a little more than the node has addresses. */
    private static final int MOST = 3;

    private final int number;
    private final SplittableRandom random;
    private final Supplier<Life> life;
    private final Ledger ledger;
    private final MemoryPods pods;
    private final Story story;
    private final IntSupplier turns;
    private final List<OwnerKey> mine = new ArrayList<>();
    private int made;

    /**
     * @param life the node's present life
     * @param turns says with a number above zero that there is one more thing to do
     */
    Kubelet(
            int number,
            long seed,
            Supplier<Life> life,
            Ledger ledger,
            MemoryPods pods,
            Story story,
            IntSupplier turns) {
        this.number = number;
        this.random = new SplittableRandom(seed * 31 + number);
        this.life = life;
        this.ledger = ledger;
        this.pods = pods;
        this.story = story;
        this.turns = turns;
    }

    @Override
    public void run() {
        while (turns.getAsInt() > 0) {
            if (mine.isEmpty() || (mine.size() < MOST && random.nextBoolean())) {
                begin();
            } else {
                end(mine.remove(random.nextInt(mine.size())));
            }
        }
    }

    private void begin() {
        String name = "k" + number + "-" + ++made;
        pods.put("default/" + name);
        OwnerKey owner = new OwnerKey("enipam", "c-" + name, "eth0");
        // as a kubelet does: some tries, and then the sandbox is given up; a daemon that is not ready yet is waited for
        int refusals = 0;
        for (int i = 0; i < TRIES && refusals < 3; i++) {
            Life asked = life.get();
            try {
                AddOutcome outcome = await(asked.add(new AddCommand(owner, PodRef.parse("default/" + name), PATIENCE)));
                String address = outcome.lease().resource().addresses().get(0).host();
                story.tell("kubelet: " + owner.containerId() + " was told " + address + " by life " + asked.number);
                ledger.lent(address, owner);
                mine.add(owner);
                return;
            } catch (IpamException refused) {
                if (refused.code() != ErrorCode.TRY_AGAIN) {
                    ledger.refuse();
                    refusals++;
                }
                Life.pause(25);
            } catch (Life.Died died) {
                awaitAnotherLifeThan(asked);
            }
        }
        end(owner);
    }

    private void end(OwnerKey owner) {
        pods.remove("default/" + owner.containerId().substring(2));
        ledger.givenBack(owner)
                .ifPresent(address -> story.tell("kubelet: " + owner.containerId() + " gives back " + address));
        for (int i = 0; i < TRIES; i++) {
            Life asked = life.get();
            try {
                await(asked.del(owner));
                return;
            } catch (IpamException refused) {
                Life.pause(25);
            } catch (Life.Died died) {
                awaitAnotherLifeThan(asked);
            }
        }
        throw new AssertionError("the DEL of " + owner + " was refused " + TRIES + " times");
    }

    private void awaitAnotherLifeThan(Life dead) {
        for (int i = 0; i < 3_000 && life.get() == dead; i++) {
            Life.pause(10);
        }
    }

    private static <T> T await(CompletableFuture<T> answer) {
        Duration limit = PATIENCE.dividedBy(Campaign.HASTE).plus(SLACK);
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IpamException refused) {
                throw refused;
            }
            if (e.getCause() instanceof Life.Died died) {
                throw died;
            }
            throw new AssertionError("an answer without a code", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("no answer " + SLACK + " after the deadline", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
