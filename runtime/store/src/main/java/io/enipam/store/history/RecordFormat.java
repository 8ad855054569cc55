package io.enipam.store.history;

import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** How one sort of records is kept in files. Immutable, and safe to use from several threads. */
public interface RecordFormat<T> {
    /** What its full files are called, such as {@code leases}: small letters. */
    String name();

    /** Of the records in a full file. */
    Comparator<T> order();

    /** What a record is found by. */
    Stream<String> keys(T record);

    Instant begin(T record);

    Instant end(T record);

    byte[] encode(List<T> records);

    /** @throws IOException if the bytes are none that {@link #encode} gave */
    List<T> decode(byte[] block) throws IOException;
}
