package io.enipam.diagnostics.sources;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What every source says of this node at about one moment. Immutable.
 *
 * <p>The sources were asked side by side, so what one of them saw before a change another may have seen after it: a
 * difference is a suspicion until it lasts ({@code compare}).
 */
public final class Snapshot {
    private final Instant at;
    private final Map<Class<?>, SourceReply<?>> replies;

    /** @param replies by the type of their answers, in the order in which they are shown */
    Snapshot(Instant at, Map<Class<?>, SourceReply<?>> replies) {
        this.at = at;
        this.replies = new LinkedHashMap<>(replies);
    }

    public Instant at() {
        return at;
    }

    /** All sources, in the order in which they are shown. */
    public List<SourceReply<?>> replies() {
        return List.copyOf(replies.values());
    }

    /** What came of asking the source of a type; ABSENT if there is none. */
    public <T> SourceReply<T> reply(Class<T> type) {
        SourceReply<?> found = replies.get(type);
        if (found == null) {
            return SourceReply.absent(type.getSimpleName(), at, "this daemon has no such source");
        }
        @SuppressWarnings("unchecked") // put under the type of its source
        SourceReply<T> reply = (SourceReply<T>) found;
        return reply;
    }

    public <T> Optional<T> answer(Class<T> type) {
        return reply(type).answer();
    }

    public Duration age(SourceReply<?> reply) {
        Duration age = Duration.between(reply.at(), at);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /**
     * @param at when it was asked; of an answer that was kept, when that was asked for
     * @param answer present if and only if it is KNOWN
     * @param code of a failure: a name that a program can switch on, such as TIMEOUT or THROTTLED; else empty text
     * @param why of a failure, and of a source that is absent: one line for an operator; else empty text
     */
    public record SourceReply<T>(
            String source,
            State state,
            Instant at,
            Duration took,
            Optional<T> answer,
            String code,
            String why,
            List<Statement> statements) {
        public enum State {
            /** It answered: what it does not mention does not exist, as far as it knows. */
            KNOWN,
            /** There is no such source in this configuration: nothing follows from its silence. */
            ABSENT,
            /** It could not be asked: nothing follows from its silence. */
            FAILED
        }

        static <T> SourceReply<T> known(Source<T> source, Instant at, Duration took, T told) {
            List<Statement> statements = source.statements().apply(told);
            return new SourceReply<>(source.name(), State.KNOWN, at, took, Optional.of(told), "", "", statements);
        }

        static <T> SourceReply<T> absent(String source, Instant at, String why) {
            return new SourceReply<>(source, State.ABSENT, at, Duration.ZERO, Optional.empty(), "", why, List.of());
        }

        static <T> SourceReply<T> failed(String source, Instant at, Duration took, String code, String why) {
            return new SourceReply<>(source, State.FAILED, at, took, Optional.empty(), code, why, List.of());
        }

        public boolean known() {
            return state == State.KNOWN;
        }
    }
}
