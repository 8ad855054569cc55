package io.enipam.recovery;

import io.enipam.engine.port.Change;
import io.enipam.store.SalvageResult.SalvagedRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was decided.
 *
 * @param decisions one by one, ordered by what is done and to what
 * @param changes all that the new database holds, in the order in which it is to be written
 * @param loss what pods may lose by it
 */
public record RebuildPlan(List<Decision> decisions, List<Change> changes, Loss loss) {
    public RebuildPlan {
        decisions = decisions.stream()
                .sorted(Comparator.comparing(Decision::action).thenComparing(Decision::subject))
                .toList();
    }

    /** A plan that is being made: the lists grow. */
    record Draft(List<Decision> decisions, List<Change> changes) {
        Draft() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        void add(Decision decision, Change change) {
            decisions.add(decision);
            changes.add(change);
        }
    }

    /** How often each action was decided on; an action that was not is left out. */
    public Map<Decision.Action, Integer> counts() {
        Map<Decision.Action, Integer> counts = new EnumMap<>(Decision.Action.class);
        decisions.forEach(decision -> counts.merge(decision.action(), 1, Integer::sum));
        return counts;
    }

    /**
     * One thing that was decided, for operators and programs. All parts are text; a source that was not asked is
     * {@code -}, one that did not answer {@code ?}.
     *
     * @param subject an address, or what else it is about
     * @param of whose it is
     * @param database what was left of it: {@code certain}, {@code may be stale} or {@code nothing}
     * @param pod what the API server says
     * @param why the reason, in one sentence without a full stop
     */
    public record Decision(
            Action action,
            String subject,
            String of,
            String database,
            String kernel,
            String pod,
            String cloud,
            String why) {
        /** A decision for which the kernel and the API server were not asked. */
        static Decision of(
                Action action, String subject, String of, SalvagedRecord<?> found, String cloud, String why) {
            return new Decision(
                    action, subject, of, found.certain() ? "certain" : "may be stale", "-", "-", cloud, why);
        }

        public enum Action {
            KEEP_LEASE,
            REBUILD_LEASE,
            DROP_LEASE,
            /** An address is not lent for a while. */
            QUARANTINE,
            KEEP_HOLD,
            DROP_HOLD,
            KEEP_PENDING,
            DROP_PENDING,
            /** Nothing can be done about it now. */
            LEAVE;

            public String words() {
                return name().toLowerCase(Locale.ROOT).replace('_', ' ');
            }
        }
    }

    /**
     * The leases that a recovery may lose: commits are missing from the database, and the kernel does not show which
     * pods they were about.
     *
     * @param ended leases that were found and end, each with its pod and its address
     * @param doubtful addresses that a missing commit may have lent
     * @param uncounted whether there may be others, of addresses that are unknown because the cloud did not answer
     * @param silence why the kernel does not show it
     * @param until when these addresses may be lent again
     */
    public record Loss(List<String> ended, List<String> doubtful, boolean uncounted, String silence, Instant until) {
        /** As many as fit on a line; the table of the decisions has all. */
        private static final int NAMED = 20;

        public boolean isEmpty() {
            return ended.isEmpty() && doubtful.isEmpty() && !uncounted;
        }

        /** How many there are at most, and which, in one line without a full stop. */
        public String words() {
            int most = ended.size() + doubtful.size();
            StringBuilder words =
                    new StringBuilder(most == 0 ? "leases" : "up to " + most + (most == 1 ? " lease" : " leases"));
            words.append(" may be lost, as ").append(silence);
            if (!ended.isEmpty()) {
                words.append("; ended: ").append(named(ended));
            }
            if (!doubtful.isEmpty()) {
                words.append("; possibly lent by a commit that is missing: ").append(named(doubtful));
            }
            if (most > 0) {
                words.append("; no pod gets these addresses before ").append(until);
            }
            if (uncounted) {
                words.append("; the cloud did not answer either, so that no other address can be kept aside");
            }
            return words.toString();
        }

        private static String named(List<String> all) {
            String first = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
            return all.size() <= NAMED ? first : first + " and " + (all.size() - NAMED) + " more";
        }
    }
}
