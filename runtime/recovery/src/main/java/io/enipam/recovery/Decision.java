package io.enipam.recovery;

/**
 * One thing that was decided, for people and programs. All parts are text; a witness that was not asked is {@code -}, one that
 * did not answer {@code ?}.
 *
 * @param action what is done
 * @param subject an address, or what else it is about
 * @param of whose it is
 * @param database what was left of it: {@code certain}, {@code may be stale} or {@code nothing}
 * @param kernel what the kernel says
 * @param pod what the API server says
 * @param cloud what the cloud says
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
    /** What is done. */
    public enum Action {
        /** A lease that was in the database stays. */
        KEEP_LEASE("keep lease"),
        /** A lease is made that was not in the database. */
        REBUILD_LEASE("rebuild lease"),
        /** A lease that was in the database ends. */
        DROP_LEASE("drop lease"),
        /** An address is lent to nobody for a while. */
        QUARANTINE("quarantine"),
        /** A cool-down or reservation stays. */
        KEEP_HOLD("keep hold"),
        /** A cool-down or reservation ends. */
        DROP_HOLD("drop hold"),
        /** Something that was begun and not ended is finished by the next start. */
        KEEP_PENDING("keep pending"),
        /** Something that was begun is not finished. */
        DROP_PENDING("drop pending"),
        /** Nothing can be done about it now. */
        LEAVE("leave");

        private final String words;

        Action(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }
}
