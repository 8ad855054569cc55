package io.enipam.diagnostics.sources;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What every source says of this node at about one moment. Immutable.
 *
 * <p>The sources were asked side by side, so what one of them saw before a change another may have seen after it: a difference
 * is a suspicion until it lasts ({@code compare}).
 */
public final class Snapshot {
    private final Instant at;
    private final Map<Class<?>, Account<?>> accounts;

    /** @param accounts by the type of their answers, in the order in which they are shown */
    Snapshot(Instant at, Map<Class<?>, Account<?>> accounts) {
        this.at = at;
        this.accounts = new LinkedHashMap<>(accounts);
    }

    /** When it was asked for. */
    public Instant at() {
        return at;
    }

    /** All sources, in the order in which they are shown. */
    public List<Account<?>> accounts() {
        return List.copyOf(accounts.values());
    }

    /** What came of asking the source of a type; ABSENT if there is none. */
    public <T> Account<T> account(Class<T> type) {
        Account<?> found = accounts.get(type);
        if (found == null) {
            return Account.absent(type.getSimpleName(), at, "this daemon has no such source");
        }
        @SuppressWarnings("unchecked") // put under the type of its source
        Account<T> account = (Account<T>) found;
        return account;
    }

    /** The answer of the source of a type, if it answered. */
    public <T> Optional<T> told(Class<T> type) {
        return account(type).told();
    }

    /** All statements that fit, of all sources, each with its source. */
    public Stream<Told> sayings(Predicate<Saying> fits) {
        return accounts.values().stream()
                .flatMap(account -> account.sayings().stream()
                        .filter(fits)
                        .map(saying -> new Told(account.source(), account.at(), saying)));
    }

    /** How old an answer is. */
    public Duration age(Account<?> account) {
        Duration age = Duration.between(account.at(), at);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * A statement and whose it is.
     *
     * @param at when the source was asked
     */
    public record Told(String source, Instant at, Saying saying) {}
}
