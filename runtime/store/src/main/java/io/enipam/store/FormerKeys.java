package io.enipam.store;

import io.enipam.engine.port.Change;
import io.enipam.store.RecordJson.DatabaseJson;
import java.util.List;
import java.util.Optional;

/**
 * The keys that holds and disposals had up to format 3: the resource's id alone, so that of two factories' resources of one id the
 * later row took the place of the other. Format 4 has the factory's name in front.
 *
 * <p>A journal and a checkpoint of then stay as they are, and so does what follows in that journal until the commit that says of the
 * database that it is of format 4: with it, each row gets the key of today. That commit changes one record on disk. So a crash finds
 * the database before it, and makes it once more, or behind it, and reads the rows under their new keys; there is nothing between.
 */
final class FormerKeys {
    /** The format that has the keys of today. */
    private static final int TODAY = 4;

    /** Where there are such rows. */
    static final List<Bucket> BUCKETS = List.of(Bucket.RESERVATIONS, Bucket.QUARANTINE, Bucket.INTENTS);

    private final RecordCodec codec = new RecordCodec();

    /** The key that a row with a former one has today; empty if it has that already, or cannot be read: its reader says so. */
    Optional<String> today(Bucket bucket, String key, byte[] record) {
        if (!BUCKETS.contains(bucket)) {
            return Optional.empty();
        }
        try {
            Change put = codec.put(bucket, key, record);
            return former(put).equals(key)
                    ? codec.encode(put).stream()
                            .filter(mutation -> mutation.record().isPresent())
                            .map(Mutation::key)
                            .filter(today -> !today.equals(key))
                            .findFirst()
                    : Optional.empty();
        } catch (StoreException e) {
            return Optional.empty();
        }
    }

    private static String former(Change put) {
        if (put instanceof Change.PutHold hold) {
            return hold.hold().resource().id().value();
        }
        return put instanceof Change.PutIntent intent ? intent.intent().token() : "";
    }

    /** Whether a commit with this record gives the rows the keys of today: the one of a new database, which has no rows, does so, too. */
    boolean end(Bucket bucket, String key, byte[] record) {
        return bucket == Bucket.META && key.equals(DatabaseJson.KEY) && format(record) >= TODAY;
    }

    /** Whether the rows of a database have the former keys. */
    boolean in(StoreSnapshot records) {
        return records.find(Bucket.META, DatabaseJson.KEY)
                .filter(record -> format(record) < TODAY)
                .isPresent();
    }

    /** Of the database; that of today if the record cannot be read, which its reader reports. */
    private int format(byte[] record) {
        try {
            return codec.format(record);
        } catch (StoreException e) {
            return TODAY;
        }
    }
}
