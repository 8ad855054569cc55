package io.enipam.etcd;

import com.google.protobuf.ByteString;
import io.enipam.engine.model.TableRow;
import io.enipam.sdk.ErrorKind;
import io.enipam.sdk.JournalException;
import io.etcd.jetcd.api.KeyValue;
import java.io.ByteArrayOutputStream;

/**
 * What is where in etcd, below one prefix:
 *
 * <table>
 * <caption>Keys and values</caption>
 * <tr><th>key</th><th>value</th></tr>
 * <tr><td>{@code rows/PLUGIN/TABLE/KEY}</td><td>the table's version, a blank, the text of the codec; the row's revision is the
 *     key's mod revision</td></tr>
 * <tr><td>{@code deletes/PLUGIN/TABLE}</td><td>empty; put by each commit that deletes rows of the table, since a deleted key has
 *     no revision to compare</td></tr>
 * <tr><td>{@code lanes/CLIENT/NUMBER}</td><td>the last commit on one lane of a client, see {@link CommitLanes}</td></tr>
 * <tr><td>{@code leader}</td><td>the name of the replica that leads, under its lease, see {@link EtcdLeadership}</td></tr>
 * </table>
 *
 * <p>A key is the UTF-8 of its text, but each half of a surrogate pair is encoded by itself, in three bytes: so the order of the
 * bytes, which is etcd's, is that of {@link String#compareTo}. Values are UTF-8. Immutable.
 *
 * @param prefix without a slash at its end
 */
record EtcdKeys(String prefix) {
    /** Of a row, by {@link TableRow#path()}, or of all rows whose path begins with a text. */
    ByteString rows(String path) {
        return bytes(prefix + "/rows/" + path);
    }

    ByteString deletes(String plugin, String table) {
        return bytes(prefix + "/deletes/" + plugin + "/" + table);
    }

    ByteString lane(String name) {
        return bytes(prefix + "/lanes/" + name);
    }

    ByteString leader() {
        return bytes(prefix + "/leader");
    }

    static ByteString value(TableRow row) {
        return ByteString.copyFromUtf8(row.version() + " " + row.value());
    }

    /** @throws JournalException {@link ErrorKind#INTERNAL} if it is no row of this layout */
    TableRow row(KeyValue found) {
        String key = text(found.getKey());
        try {
            String[] path = key.substring(rows("").size()).split("/", 3);
            String value = found.getValue().toStringUtf8();
            int blank = value.indexOf(' ');
            return new TableRow(
                    path[0],
                    path[1],
                    path[2],
                    Integer.parseInt(value.substring(0, blank)),
                    found.getModRevision(),
                    value.substring(blank + 1));
        } catch (RuntimeException e) {
            throw new JournalException(
                    ErrorKind.INTERNAL,
                    "the key " + key + " in etcd is not a row of enipam: another program has written it; delete it",
                    e);
        }
    }

    /** The first key behind all that begin with this one. */
    static ByteString end(ByteString beginning) {
        int last = beginning.size() - 1;
        while (beginning.byteAt(last) == (byte) 0xff) {
            last--;
        }
        return beginning.substring(0, last).concat(ByteString.copyFrom(new byte[] {(byte) (beginning.byteAt(last) + 1)
        }));
    }

    /** The first key behind this one. */
    static ByteString after(ByteString key) {
        return key.concat(ByteString.copyFrom(new byte[1]));
    }

    static ByteString bytes(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes.write(c);
            } else if (c < 0x800) {
                bytes.write(0xc0 | c >> 6);
                bytes.write(0x80 | c & 0x3f);
            } else {
                bytes.write(0xe0 | c >> 12);
                bytes.write(0x80 | c >> 6 & 0x3f);
                bytes.write(0x80 | c & 0x3f);
            }
        }
        return ByteString.copyFrom(bytes.toByteArray());
    }

    static String text(ByteString bytes) {
        StringBuilder text = new StringBuilder(bytes.size());
        for (int i = 0; i < bytes.size(); i++) {
            int lead = bytes.byteAt(i) & 0xff;
            int more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : 2;
            int c = more == 0 ? lead : lead & (more == 1 ? 0x1f : 0x0f);
            for (; more > 0 && i + 1 < bytes.size(); more--) {
                c = c << 6 | bytes.byteAt(++i) & 0x3f;
            }
            text.append((char) c);
        }
        return text.toString();
    }
}
