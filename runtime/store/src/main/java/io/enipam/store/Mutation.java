package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.ArrayList;
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
 * @param json the new record in one line, or empty to remove it
 * @param why of the removal of a lease, for the history: JSON in one line; the records do not depend on it
 */
record Mutation(Bucket bucket, String key, Optional<String> json, Optional<String> why) {
    Mutation {
        // a loop: a start reads tens of thousands
        for (int i = 0; i < key.length(); i++) {
            if (Character.isISOControl(key.charAt(i))) {
                throw new IllegalArgumentException("a key of bucket " + bucket.text() + " has a control character");
            }
        }
    }

    static Mutation put(Bucket bucket, String key, String json) {
        return new Mutation(bucket, key, Optional.of(json), Optional.empty());
    }

    static Mutation remove(Bucket bucket, String key) {
        return new Mutation(bucket, key, Optional.empty(), Optional.empty());
    }

    static Mutation remove(Bucket bucket, String key, Optional<String> why) {
        return new Mutation(bucket, key, Optional.empty(), why);
    }

    /** Adds or replaces a hold, whichever purpose the one before had. */
    static List<Mutation> putHold(Bucket bucket, String key, String json) {
        Bucket other = bucket == Bucket.RESERVATIONS ? Bucket.QUARANTINE : Bucket.RESERVATIONS;
        return List.of(remove(other, key), put(bucket, key, json));
    }

    static List<Mutation> removeHold(String key) {
        return List.of(remove(Bucket.RESERVATIONS, key), remove(Bucket.QUARANTINE, key));
    }

    static byte[] encode(List<Mutation> mutations) {
        StringBuilder text = new StringBuilder(512 * mutations.size());
        for (Mutation mutation : mutations) {
            text.append(mutation.json().isPresent() ? "put\t" : "remove\t")
                    .append(mutation.bucket().text())
                    .append('\t')
                    .append(mutation.key());
            mutation.json()
                    .or(mutation::why)
                    .ifPresent(json -> text.append('\t').append(json));
            text.append('\n');
        }
        return text.toString().getBytes(UTF_8);
    }

    /** @throws IllegalArgumentException if a line has another shape: a newer program wrote it */
    static List<Mutation> decode(byte[] payload) {
        List<Mutation> mutations = new ArrayList<>();
        new String(payload, UTF_8).lines().forEach(line -> mutations.addAll(decode(line)));
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

    private static List<Mutation> decode(String line) {
        String[] part = line.split("\t", -1);
        boolean put = part.length == 4 && part[0].equals("put");
        boolean remove = (part.length == 3 || part.length == 4) && part[0].equals("remove");
        if (!put && !remove) {
            throw new IllegalArgumentException("unknown change '" + part[0] + "'");
        }
        if (part[1].equals(Bucket.LEGACY_HOLDS)) {
            return put ? putHold(Bucket.ofLegacyHold(part[3]), part[2], part[3]) : removeHold(part[2]);
        }
        Bucket bucket = Bucket.parse(part[1])
                .orElseThrow(() -> new IllegalArgumentException("unknown bucket '" + part[1] + "'"));
        Optional<String> rest = part.length == 4 ? Optional.of(part[3]) : Optional.empty();
        return List.of(new Mutation(bucket, part[2], put ? rest : Optional.empty(), put ? Optional.empty() : rest));
    }
}
