package io.enipam.store.record;

import io.enipam.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A group of commits as the payload of one frame: for each edit the key's length (4 bytes) and its UTF-8 text, then the
 * value's length and its bytes, or -1 where the record is removed.
 */
public final class GroupCodec {
    private static final int REMOVED = -1;

    private GroupCodec() {}

    public static byte[] encode(List<Edit> edits) {
        List<byte[]> keys = edits.stream()
                .map(edit -> edit.key().getBytes(StandardCharsets.UTF_8))
                .toList();
        int size = 0;
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = edits.get(i).value();
            size += 8 + keys.get(i).length + (value == null ? 0 : value.length);
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (int i = 0; i < keys.size(); i++) {
            byte[] value = edits.get(i).value();
            bytes.putInt(keys.get(i).length).put(keys.get(i)).putInt(value == null ? REMOVED : value.length);
            if (value != null) {
                bytes.put(value);
            }
        }
        return bytes.array();
    }

    /** @throws StoreException if the payload has another shape: it passed its checksum, so this program did not write it */
    public static List<Edit> decode(byte[] payload) {
        List<Edit> edits = new ArrayList<>();
        ByteBuffer bytes = ByteBuffer.wrap(payload);
        while (bytes.hasRemaining()) {
            String key = new String(take(bytes, length(bytes)), StandardCharsets.UTF_8);
            int length = length(bytes);
            edits.add(new Edit(key, length == REMOVED ? null : take(bytes, length)));
        }
        return edits;
    }

    private static int length(ByteBuffer bytes) {
        int length = bytes.remaining() < 4 ? Integer.MAX_VALUE : bytes.getInt();
        if (length < REMOVED || length > bytes.remaining()) {
            throw new StoreException(
                    "the journal has a frame of a shape this program does not know", "start the version that wrote it");
        }
        return length;
    }

    private static byte[] take(ByteBuffer bytes, int length) {
        byte[] taken = new byte[length];
        bytes.get(taken);
        return taken;
    }
}
