package io.enipam.datapath.netlink;

import io.enipam.datapath.netlink.KernelChange.FixUp;
import io.enipam.datapath.netlink.KernelChange.Message;
import io.enipam.datapath.netlink.KernelChange.Outcome;
import io.enipam.datapath.netlink.KernelChange.SysctlWrite;
import io.enipam.datapath.netlink.KernelChange.TableFlush;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The frames of requests and answers; the head of {@code enipam-netlink.c} describes them. */
final class Frames {
    /** The version of the frames, which the process gets as its argument. */
    static final String PROTOCOL = "1";

    /** How many changes one request may have. */
    static final int MOST_CHANGES = 1_000;

    private static final int MOST_FRAME = 1 << 20;
    private static final int LEAST_ANSWER = 12;

    private Frames() {}

    /** @param netns path of the namespace; empty text for that of the process */
    static byte[] request(int id, String netns, List<KernelChange> changes) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeInt(0);
            out.writeInt(id);
            text(out, netns);
            out.writeShort(changes.size());
            for (KernelChange change : changes) {
                item(out, change);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] frame = bytes.toByteArray();
        int length = frame.length - Integer.BYTES;
        if (changes.size() > MOST_CHANGES || length > MOST_FRAME) {
            throw new IllegalArgumentException(changes.size() + " changes in " + length + " bytes are too many");
        }
        return ByteBuffer.wrap(frame).putInt(length).array();
    }

    private static void item(DataOutputStream out, KernelChange change) throws IOException {
        if (change instanceof Message message) {
            message(out, message);
        } else if (change instanceof SysctlWrite sysctl) {
            out.writeByte(2);
            text(out, sysctl.path());
            text(out, sysctl.value());
        } else if (change instanceof TableFlush flush) {
            out.writeByte(3);
            out.writeByte(Rtnetlink.family(flush.ipv6()));
            out.writeInt((int) flush.table());
        }
    }

    private static void message(DataOutputStream out, Message message) throws IOException {
        out.writeByte(1);
        out.writeByte(message.fixUps().size());
        for (FixUp fixUp : message.fixUps()) {
            out.writeByte(fixUp.kind().ordinal() + 1);
            out.writeInt(fixUp.offset());
            text(out, fixUp.text());
        }
        out.writeInt(message.bytes().length);
        out.write(message.bytes());
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    /**
     * What became of a request.
     *
     * @param entered why its namespace could not be entered, and then nothing was done; errno 0 if it was
     */
    record Answer(int id, Outcome entered, List<Outcome> outcomes) {
        /** Reads the next; empty at the end of the stream. Throws IOException if it is none. */
        static Optional<Answer> read(DataInputStream in) throws IOException {
            int length;
            try {
                length = in.readInt();
            } catch (EOFException e) {
                return Optional.empty();
            }
            if (length < LEAST_ANSWER || length > MOST_FRAME) {
                throw new IOException("a frame of " + length + " bytes is no answer");
            }
            byte[] frame = in.readNBytes(length);
            if (frame.length < length) {
                throw new EOFException("an answer ended in the middle");
            }
            DataInputStream fields = new DataInputStream(new ByteArrayInputStream(frame));
            int id = fields.readInt();
            Outcome entered = outcome(fields);
            int count = fields.readUnsignedShort();
            List<Outcome> outcomes = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                outcomes.add(outcome(fields));
            }
            if (fields.available() > 0) {
                throw new IOException("an answer has " + fields.available() + " bytes too many");
            }
            return Optional.of(new Answer(id, entered, outcomes));
        }

        private static Outcome outcome(DataInputStream fields) throws IOException {
            int errno = fields.readInt();
            byte[] text = fields.readNBytes(fields.readUnsignedShort());
            return new Outcome(errno, new String(text, StandardCharsets.UTF_8));
        }
    }
}
