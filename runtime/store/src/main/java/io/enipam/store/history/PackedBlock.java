package io.enipam.store.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Numbers and texts as bytes. Container ids and UIDs, which are random, stand as they are, each half as long as its text; all else is
 * deflated, and a text that stood in the block before is a number.
 */
final class PackedBlock {
    private static final int MOST = 64 << 20;
    private static final HexFormat HEX = HexFormat.of();

    private static final int TEXT = 0;
    private static final int HEXADECIMAL = 1;
    private static final int UID = 2;
    private static final int FIRST_KNOWN = 3;

    private PackedBlock() {}

    static final class Writer {
        private final ByteArrayOutputStream words = new ByteArrayOutputStream();
        private final ByteArrayOutputStream random = new ByteArrayOutputStream();
        private final Map<String, Integer> known = new HashMap<>();

        void number(long value) {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                words.write((int) (rest & 0x7F | 0x80));
                rest >>>= 7;
            }
            words.write((int) rest);
        }

        void signed(long value) {
            number(value << 1 ^ value >> 63);
        }

        void text(String text) {
            Integer before = known.get(text);
            if (before != null) {
                number(FIRST_KNOWN + before);
                return;
            }
            Optional<byte[]> uid = uid(text);
            Optional<byte[]> hex = hex(text);
            if (uid.isPresent()) {
                number(UID);
                random.writeBytes(uid.get());
            } else if (hex.isPresent()) {
                number(HEXADECIMAL);
                number(hex.get().length);
                random.writeBytes(hex.get());
            } else {
                known.put(text, known.size());
                byte[] bytes = text.getBytes(UTF_8);
                number(TEXT);
                number(bytes.length);
                words.writeBytes(bytes);
            }
        }

        private static Optional<byte[]> hex(String text) {
            boolean packs = text.length() >= 16
                    && text.length() % 2 == 0
                    && text.chars().allMatch(c -> c >= '0' && c <= '9' || c >= 'a' && c <= 'f');
            return packs ? Optional.of(HEX.parseHex(text)) : Optional.empty();
        }

        private static Optional<byte[]> uid(String text) {
            if (text.length() != 36) {
                return Optional.empty();
            }
            try {
                UUID uid = UUID.fromString(text);
                return uid.toString().equals(text)
                        ? Optional.of(ByteBuffer.allocate(16)
                                .putLong(uid.getMostSignificantBits())
                                .putLong(uid.getLeastSignificantBits())
                                .array())
                        : Optional.empty();
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        byte[] bytes() {
            Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
            try {
                deflater.setInput(words.toByteArray());
                deflater.finish();
                ByteArrayOutputStream packed = new ByteArrayOutputStream();
                byte[] part = new byte[8 << 10];
                while (!deflater.finished()) {
                    packed.write(part, 0, deflater.deflate(part));
                }
                return ByteBuffer.allocate(2 * Integer.BYTES + packed.size() + random.size())
                        .putInt(words.size())
                        .putInt(packed.size())
                        .put(packed.toByteArray())
                        .put(random.toByteArray())
                        .array();
            } finally {
                deflater.end();
            }
        }
    }

    static final class Reader {
        private final ByteBuffer words;
        private final ByteBuffer random;
        private final List<String> known = new ArrayList<>();

        Reader(byte[] block) throws DataFormatException, IOException {
            ByteBuffer in = ByteBuffer.wrap(block);
            int size = in.getInt();
            int packed = in.getInt();
            if (size < 0 || size > MOST || packed < 0 || packed > in.remaining()) {
                throw new IOException("no block: " + size + " bytes in " + packed);
            }
            byte[] unpacked = new byte[size];
            Inflater inflater = new Inflater(true);
            try {
                inflater.setInput(block, in.position(), packed);
                int got = 0;
                int part = 1;
                while (got < size && part > 0) {
                    part = inflater.inflate(unpacked, got, size - got);
                    got += part;
                }
                if (got < size) {
                    throw new IOException("a block ends after " + got + " of " + size + " bytes");
                }
            } finally {
                inflater.end();
            }
            words = ByteBuffer.wrap(unpacked);
            random = in.position(in.position() + packed).slice();
        }

        long number() {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE; shift += 7) {
                byte next = words.get();
                value |= (long) (next & 0x7F) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("a number is too long");
        }

        long signed() {
            long value = number();
            return value >>> 1 ^ -(value & 1);
        }

        String text() {
            int kind = (int) number();
            switch (kind) {
                case TEXT -> {
                    String text = new String(bytes(words, (int) number()), UTF_8);
                    known.add(text);
                    return text;
                }
                case HEXADECIMAL -> {
                    return HEX.formatHex(bytes(random, (int) number()));
                }
                case UID -> {
                    return new UUID(random.getLong(), random.getLong()).toString();
                }
                default -> {
                    return known.get(kind - FIRST_KNOWN);
                }
            }
        }

        private static byte[] bytes(ByteBuffer in, int length) {
            if (length < 0 || length > in.remaining()) {
                throw new IllegalArgumentException("a text of " + length + " bytes");
            }
            byte[] bytes = new byte[length];
            in.get(bytes);
            return bytes;
        }
    }
}
