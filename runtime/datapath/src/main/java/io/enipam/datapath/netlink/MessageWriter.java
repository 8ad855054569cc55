package io.enipam.datapath.netlink;

import io.enipam.datapath.netlink.KernelChange.FixUp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes one rtnetlink message: the header, the fields of its type, then attributes (linux/netlink.h, rtnetlink(7)). Numbers have
 * the machine's byte order, and each attribute begins at a multiple of four. Not thread-safe.
 */
final class MessageWriter {
    private static final int REQUEST = 1;
    private static final int ACK = 4;
    private static final int ALIGNMENT = 4;
    /** The largest is a veth pair or an alias, well below it. */
    private static final int MOST = 1_024;

    private final ByteBuffer buffer = ByteBuffer.allocate(MOST).order(ByteOrder.nativeOrder());
    private final List<FixUp> fixUps = new ArrayList<>();

    /** Begins a message that is to be acknowledged; {@code flags} are those beside. */
    MessageWriter(int type, int flags) {
        buffer.putInt(0).putShort((short) type).putShort((short) (flags | REQUEST | ACK));
        // sequence number and port are the sender's
        u32(0).u32(0);
    }

    MessageWriter u8(int... values) {
        for (int value : values) {
            buffer.put((byte) value);
        }
        return this;
    }

    MessageWriter u16(int value) {
        buffer.putShort((short) value);
        return this;
    }

    MessageWriter u32(long value) {
        buffer.putInt((int) value);
        return this;
    }

    MessageWriter u64(long value) {
        buffer.putLong(value);
        return this;
    }

    /** The index of a link. */
    MessageWriter indexOf(String link) {
        fixUps.add(new FixUp(FixUp.Kind.LINK, buffer.position(), link));
        return u32(0);
    }

    /** A descriptor of a namespace's file. */
    MessageWriter descriptorOf(String netns) {
        fixUps.add(new FixUp(FixUp.Kind.NETNS, buffer.position(), netns));
        return u32(0);
    }

    /** An attribute, whose value {@code inside} writes: a field, or attributes. */
    MessageWriter attribute(int type, Consumer<MessageWriter> inside) {
        int begin = buffer.position();
        u16(0).u16(type);
        inside.accept(this);
        buffer.putShort(begin, (short) (buffer.position() - begin));
        while (buffer.position() % ALIGNMENT != 0) {
            u8(0);
        }
        return this;
    }

    MessageWriter attribute(int type, byte[] value) {
        return attribute(type, inside -> buffer.put(value));
    }

    MessageWriter number(int type, long value) {
        return attribute(type, inside -> inside.u32(value));
    }

    /** A text that ends with a zero. */
    MessageWriter text(int type, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return attribute(type, Arrays.copyOf(bytes, bytes.length + 1));
    }

    KernelChange.Message message() {
        buffer.putInt(0, buffer.position());
        return new KernelChange.Message(Arrays.copyOf(buffer.array(), buffer.position()), fixUps);
    }
}
