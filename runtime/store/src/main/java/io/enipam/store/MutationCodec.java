package io.enipam.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import io.enipam.store.Bucket.HoldBuckets;

/**
 * Mutations as the payload of a journal frame: a line each, so that {@code strings} shows what a journal holds.
 *
 * <pre>
 * put TAB bucket TAB key TAB record NEWLINE
 * remove TAB bucket TAB key NEWLINE
 * </pre>
 *
 * <p>Keys have no control characters and JSON escapes them, so neither needs quoting here.
 */
final class MutationCodec {
    private MutationCodec() {}

    static byte[] encode(List<Mutation> mutations) {
        StringBuilder text = new StringBuilder(512 * mutations.size());
        for (Mutation mutation : mutations) {
            text.append(mutation.json().isPresent() ? "put\t" : "remove\t")
                    .append(mutation.bucket().text())
                    .append('\t')
                    .append(mutation.key());
            mutation.json().ifPresent(json -> text.append('\t').append(json));
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

    private static List<Mutation> decode(String line) {
        String[] part = line.split("\t", -1);
        boolean put = part.length == 4 && part[0].equals("put");
        boolean remove = part.length == 3 && part[0].equals("remove");
        if (!put && !remove) {
            throw new IllegalArgumentException("unknown change '" + part[0] + "'");
        }
        if (part[1].equals(LegacyHoldBucket.BUCKET)) {
            return put ? LegacyHoldBucket.put(part[2], part[3]) : HoldBuckets.remove(part[2]);
        }
        Bucket bucket = Bucket.parse(part[1])
                .orElseThrow(() -> new IllegalArgumentException("unknown bucket '" + part[1] + "'"));
        return List.of(put ? Mutation.put(bucket, part[2], part[3]) : Mutation.remove(bucket, part[2]));
    }
}
