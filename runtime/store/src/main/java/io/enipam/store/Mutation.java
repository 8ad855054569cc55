package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One change of one record.
 *
 * <p>Mutations are the payload of a journal frame, a line each, so that {@code strings} shows what a journal holds:
 *
 * <pre>
 * put TAB bucket TAB key TAB record NEWLINE
 * remove TAB bucket TAB key NEWLINE
 * remove TAB bucket TAB key TAB why NEWLINE
 * </pre>
 *
 * <p>Keys have no control characters and JSON escapes them, so neither needs quoting there.
 *
 * @param key without control characters
 * @param record the new one, as JSON in one line of UTF-8; shared and never written; empty to remove it
 * @param why of the removal of a lease, for the history: JSON in one line; the records do not depend on it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Mutation(Bucket bucket, String key, Optional<byte[]> record, Optional<String> why) {
    Mutation {
        // a loop: a start reads tens of thousands
        for (int i = 0; i < key.length(); i++) {
            if (Character.isISOControl(key.charAt(i))) {
                throw new IllegalArgumentException("a key of bucket " + bucket.text() + " has a control character");
            }
        }
    }

    static Mutation put(Bucket bucket, String key, byte[] record) {
        return new Mutation(bucket, key, Optional.of(record), Optional.empty());
    }

    static Mutation remove(Bucket bucket, String key) {
        return new Mutation(bucket, key, Optional.empty(), Optional.empty());
    }

    static Mutation remove(Bucket bucket, String key, Optional<String> why) {
        return new Mutation(bucket, key, Optional.empty(), why);
    }

    /** Adds or replaces a hold, whichever purpose the one before had. */
    static List<Mutation> putHold(Bucket bucket, String key, byte[] record) {
        Bucket other = bucket == Bucket.RESERVATIONS ? Bucket.QUARANTINE : Bucket.RESERVATIONS;
        return List.of(remove(other, key), put(bucket, key, record));
    }

    static List<Mutation> removeHold(String key) {
        return List.of(remove(Bucket.RESERVATIONS, key), remove(Bucket.QUARANTINE, key));
    }

    static byte[] encode(List<Mutation> mutations) {
        ByteArrayOutputStream lines = new ByteArrayOutputStream(512 * mutations.size());
        for (Mutation mutation : mutations) {
            String verb = mutation.record.isPresent() ? "put\t" : "remove\t";
            lines.writeBytes((verb + mutation.bucket.text() + '\t' + mutation.key).getBytes(UTF_8));
            mutation.record
                    .or(() -> mutation.why.map(why -> why.getBytes(UTF_8)))
                    .ifPresent(rest -> {
                        lines.write('\t');
                        lines.writeBytes(rest);
                    });
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    /** @throws IllegalArgumentException if a line has another shape: a newer program wrote it */
    static List<Mutation> decode(byte[] payload) {
        List<Mutation> mutations = new ArrayList<>();
        int to;
        for (int from = 0; from < payload.length; from = to + 1) {
            to = indexOf(payload, '\n', from, payload.length);
            mutations.addAll(decode(payload, from, to));
        }
        return mutations;
    }

    /** The same, of a frame in a journal file; throws StoreException if a newer program wrote it. */
    static List<Mutation> decode(Path file, int offset, byte[] payload) {
        try {
            return decode(payload);
        } catch (IllegalArgumentException e) {
            throw StoreException.newer(
                    file + " has a commit at offset " + offset + " that this program does not know: " + e.getMessage(),
                    e);
        }
    }

    /** One line. A record stays the bytes that it is: a start reads tens of thousands. */
    private static List<Mutation> decode(byte[] payload, int from, int to) {
        int verbEnd = indexOf(payload, '\t', from, to);
        int bucketEnd = indexOf(payload, '\t', Math.min(verbEnd + 1, to), to);
        int keyEnd = indexOf(payload, '\t', Math.min(bucketEnd + 1, to), to);
        String verb = text(payload, from, verbEnd);
        boolean rest = keyEnd < to;
        boolean put = verb.equals("put") && rest;
        boolean remove = verb.equals("remove") && bucketEnd < to;
        if (!put && !remove || rest && indexOf(payload, '\t', keyEnd + 1, to) < to) {
            throw new IllegalArgumentException("unknown change '" + verb + "'");
        }
        String place = text(payload, verbEnd + 1, bucketEnd);
        String key = text(payload, bucketEnd + 1, keyEnd);
        if (place.equals(Bucket.LEGACY_HOLDS)) {
            if (remove) {
                return removeHold(key);
            }
            byte[] hold = Arrays.copyOfRange(payload, keyEnd + 1, to);
            return putHold(Bucket.ofLegacyHold(new String(hold, UTF_8)), key, hold);
        }
        Bucket bucket =
                Bucket.parse(place).orElseThrow(() -> new IllegalArgumentException("unknown bucket '" + place + "'"));
        return List.of(
                put
                        ? put(bucket, key, Arrays.copyOfRange(payload, keyEnd + 1, to))
                        : remove(bucket, key, rest ? Optional.of(text(payload, keyEnd + 1, to)) : Optional.empty()));
    }

    private static String text(byte[] payload, int from, int to) {
        return new String(payload, from, to - from, UTF_8);
    }

    /** Where a byte is next; {@code to} if it is not there. */
    private static int indexOf(byte[] payload, char wanted, int from, int to) {
        int at = from;
        while (at < to && payload[at] != wanted) {
            at++;
        }
        return at;
    }
}
