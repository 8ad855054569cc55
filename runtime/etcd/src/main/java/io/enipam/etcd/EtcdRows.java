package io.enipam.etcd;

import com.google.protobuf.ByteString;
import io.enipam.engine.model.TableRow;
import io.enipam.engine.tables.TableState;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * The rows in etcd at the revision of the first read, which is the newest one then; what is read later is of the same revision.
 * A row is asked for once, and a range page by page. Blocks until etcd has answered. For one thread.
 */
final class EtcdRows implements TableState {
    private static final int FIRST_PAGE = 64;
    private static final int LARGEST_PAGE = 1024;
    /** A page that is no larger than this is followed by one of twice as many rows. */
    private static final int SMALL_PAGE_BYTES = 1 << 20;

    private final EtcdClient client;
    private final EtcdKeys keys;
    private final Map<String, Optional<TableRow>> found = new HashMap<>();
    private long revision;
    private boolean compacted;

    EtcdRows(EtcdClient client, EtcdKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    /** Of all that was read; 0 if nothing was. */
    long revision() {
        return revision;
    }

    /** Whether etcd has discarded the revision meanwhile: then nothing of it counts, and it is to be read anew. */
    boolean isCompacted() {
        return compacted;
    }

    /** The revision of a row that was read by itself, 0 if there was none; empty if it was not read. */
    Optional<Long> revisionOf(String path) {
        Optional<TableRow> row = found.get(path);
        return row == null
                ? Optional.empty()
                : Optional.of(row.map(TableRow::revision).orElse(0L));
    }

    @Override
    public Optional<TableRow> row(String path) {
        Optional<TableRow> known = found.get(path);
        if (known == null) {
            RangeRequest request =
                    RangeRequest.newBuilder().setKey(keys.rows(path)).build();
            known = range(request).getKvsList().stream().findFirst().map(keys::row);
            found.put(path, known);
        }
        return known;
    }

    @Override
    public Stream<TableRow> under(String prefix) {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(
                        new Pages(keys.rows(prefix)), Spliterator.ORDERED | Spliterator.NONNULL),
                false);
    }

    private final class Pages implements Iterator<TableRow> {
        private final ByteString end;
        private final Queue<KeyValue> page = new ArrayDeque<>();
        private ByteString next;
        private int limit = FIRST_PAGE;
        private boolean more = true;

        Pages(ByteString beginning) {
            this.next = beginning;
            this.end = EtcdKeys.end(beginning);
        }

        @Override
        public boolean hasNext() {
            if (page.isEmpty() && more) {
                fetch();
            }
            return !page.isEmpty();
        }

        @Override
        public TableRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return keys.row(page.remove());
        }

        private void fetch() {
            RangeResponse response = range(RangeRequest.newBuilder()
                    .setKey(next)
                    .setRangeEnd(end)
                    .setLimit(limit)
                    .build());
            page.addAll(response.getKvsList());
            more = response.getMore();
            if (more) {
                next = EtcdKeys.after(
                        response.getKvs(response.getKvsCount() - 1).getKey());
                boolean small = response.getSerializedSize() <= SMALL_PAGE_BYTES;
                limit = small ? Math.min(2 * limit, LARGEST_PAGE) : FIRST_PAGE;
            }
        }
    }

    private RangeResponse range(RangeRequest request) {
        try {
            RangeResponse response = call(request);
            revision = revision == 0 ? response.getHeader().getRevision() : revision;
            return response;
        } catch (EtcdException e) {
            if (e.failure() == EtcdFailure.ANSWER_TOO_LARGE && request.getLimit() > FIRST_PAGE) {
                return range(request.toBuilder().setLimit(FIRST_PAGE).build());
            }
            compacted |= e.failure() == EtcdFailure.COMPACTED;
            throw e;
        }
    }

    private RangeResponse call(RangeRequest request) {
        RangeRequest at = request.toBuilder().setRevision(revision).build();
        try {
            return client.call(KVGrpc.getRangeMethod(), at)
                    .get(client.longestWait().toMillis(), TimeUnit.MILLISECONDS)
                    .response();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JournalException(ErrorKind.UNAVAILABLE, "the thread was interrupted while it read from etcd", e);
        } catch (TimeoutException e) {
            throw new JournalException(
                    ErrorKind.UNAVAILABLE, "etcd at " + client.where() + " is not asked any more", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new CompletionException(e.getCause());
        }
    }
}
