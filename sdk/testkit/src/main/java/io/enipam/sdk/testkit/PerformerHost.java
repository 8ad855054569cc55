package io.enipam.sdk.testkit;

import io.enipam.sdk.EffectResult;
import io.enipam.sdk.Extension;
import io.enipam.sdk.Performer;
import io.enipam.sdk.ledger.PendingEffect;
import io.enipam.sdk.ledger.PendingEffect.Cause;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The host of a part that has effects: they are performed when a test says so. For one thread. */
abstract class PerformerHost<P extends Performer> extends ModelHost<P> {
    private static final ContractRule REPLAYED = new ContractRule(
            "an effect that is performed again says that it is performed, and changes nothing",
            "Recognize by the token what is done already, and take it for done.");

    private final ContractRule works;

    /** @param works the rule that an effect breaks which does not end as performed; the others as {@link ModelHost} has them */
    PerformerHost(
            Class<P> kind,
            Supplier<Extension> extension,
            Consumer<TestContext.Builder> prepare,
            Path directory,
            Duration patience,
            ContractRule works) {
        super(kind, extension, prepare, directory, patience);
        this.works = works;
    }

    /** What there is outside of the tables, as far as effects change it. */
    abstract Set<String> outside();

    /** Performs all effects, in order, those as well that are written meanwhile. */
    void performAll() {
        whileAnyWaits(this::performed);
    }

    /** Performs all effects in order, each twice. */
    void replayAll() {
        whileAnyWaits(effect -> {
            perform(effect, 1);
            Set<String> before = new TreeSet<>(outside());
            EffectResult again = perform(effect, 2);
            REPLAYED.check(
                    again instanceof EffectResult.Performed,
                    () -> "performed again, " + effect.handler() + " " + effect.token() + " ended with " + again);
            REPLAYED.same(before, new TreeSet<>(outside()), "");
            forget(effect);
        });
    }

    /** Performs one of the effects that may come next, if any waits. */
    void performOne(Random random) {
        next(random).ifPresent(this::performed);
    }

    /** Performs one of the effects that may come next, and the process ends before that is noted. */
    void performOneAndCrash(Random random) {
        next(random).ifPresent(effect -> {
            perform(effect, 1);
            crash();
        });
    }

    private void whileAnyWaits(Consumer<PendingEffect> first) {
        for (List<PendingEffect> left = ledger.effects(); !left.isEmpty(); left = ledger.effects()) {
            first.accept(left.get(0));
        }
    }

    private void performed(PendingEffect effect) {
        EffectResult result = perform(effect, 1);
        works.check(
                result instanceof EffectResult.Performed,
                () -> effect.handler() + " " + effect.token() + " ended with " + result);
        forget(effect);
    }

    private EffectResult perform(PendingEffect effect, int attempt) {
        return get(part.perform(effect.attempt(attempt)));
    }

    private void forget(PendingEffect effect) {
        get(ledger.forget(effect, () -> true));
    }

    /** One of the effects that no other has to come before. */
    private Optional<PendingEffect> next(Random random) {
        Set<Object> before = new HashSet<>();
        List<PendingEffect> choice = new ArrayList<>();
        for (PendingEffect effect : ledger.effects()) {
            boolean first = before.add(effect.token());
            if ((effect.cause().equals(Cause.NONE) || before.add(effect.cause())) && first) {
                choice.add(effect);
            }
        }
        return choice.isEmpty() ? Optional.empty() : Optional.of(choice.get(random.nextInt(choice.size())));
    }
}
