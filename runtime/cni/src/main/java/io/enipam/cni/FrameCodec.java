package io.enipam.cni;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;

/**
 * The frames on the CNI socket: one for the call, one for the answer, each led by its length, which is that of what follows it.
 * All numbers are big-endian and unsigned.
 *
 * <pre>
 * call    u32 length | u8 version (1) | u32 length of the variables | NAME=VALUE NUL ... | standard input
 * answer  u32 length | u8 version (1) | u8 exit status | u32 length of standard error | standard error | standard output
 * </pre>
 */
public final class FrameCodec {
    public static final int VERSION = 1;

    /** The longest frame that is read: 16 MiB of standard input, and room for variables. */
    public static final int LONGEST = (16 << 20) + (1 << 20);

    private FrameCodec() {}

    /**
     * Reads a call. Throws FrameException if it is too long, or no call of this version. Throws IOException if it is
     * cut short.
     */
    public static CniRequest readRequest(DataInputStream in) throws IOException {
        return readRequest(in, length -> {});
    }

    /**
     * Reads a call from a client that may send large ones: the gate opens for a length before there is memory for it.
     * Throws IOException if the call is cut short, too long, or none of this version, or the gate does not open.
     */
    public static CniRequest readRequest(DataInputStream in, SizeGuard gate) throws IOException {
        int length = length(in, 5);
        gate.admit(length);
        version(in);
        int variables = in.readInt();
        if (variables < 0 || variables > length - 5) {
            throw new FrameException("the variables of a call are longer than the call: "
                    + Integer.toUnsignedString(variables) + " bytes");
        }
        Map<String, String> environment = variables(new String(exactly(in, variables), StandardCharsets.UTF_8));
        return new CniRequest(environment, exactly(in, length - 5 - variables));
    }

    /**
     * Writes a call, and flushes.
     *
     * @param variables NAME=VALUE, each with a NUL behind it, in bytes: a variable is not always text
     * @throws FrameException if they are together longer than is read
     */
    static void writeCall(byte[] variables, byte[] stdin, DataOutputStream out) throws IOException {
        long length = 5L + variables.length + stdin.length;
        if (length > LONGEST) {
            throw new FrameException("a call of " + length + " bytes, and " + LONGEST + " are taken");
        }
        out.writeInt((int) length);
        out.writeByte(VERSION);
        out.writeInt(variables.length);
        out.write(variables);
        out.write(stdin);
        out.flush();
    }

    /** Writes a call, and flushes. */
    public static void write(CniRequest call, DataOutputStream out) throws IOException {
        StringBuilder variables = new StringBuilder();
        new TreeMap<>(call.environment())
                .forEach((name, value) ->
                        variables.append(name).append('=').append(value).append('\0'));
        writeCall(variables.toString().getBytes(StandardCharsets.UTF_8), call.stdin(), out);
    }

    /**
     * Reads an answer. Throws FrameException if it is too long, or no answer of this version. Throws IOException if it
     * is cut short.
     */
    public static CniResponse readAnswer(DataInputStream in) throws IOException {
        int length = length(in, 6);
        version(in);
        int exit = in.readUnsignedByte();
        int said = in.readInt();
        if (said < 0 || said > length - 6) {
            throw new FrameException(Integer.toUnsignedString(said) + " of " + length + " bytes are messages");
        }
        byte[] stderr = exactly(in, said);
        return new CniResponse(exit, exactly(in, length - 6 - said), stderr);
    }

    private static byte[] exactly(DataInputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length != length) {
            throw new EOFException("a frame was cut short");
        }
        return bytes;
    }

    private static Map<String, String> variables(String text) {
        Map<String, String> environment = new TreeMap<>();
        for (String variable : text.split("\0", -1)) {
            int equals = variable.indexOf('=');
            if (equals > 0) {
                environment.putIfAbsent(variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return environment;
    }

    public static void write(CniResponse answer, DataOutputStream out) throws IOException {
        out.writeInt(6 + answer.stderr().length + answer.stdout().length);
        out.writeByte(VERSION);
        out.writeByte(answer.exit());
        out.writeInt(answer.stderr().length);
        out.write(answer.stderr());
        out.write(answer.stdout());
        out.flush();
    }

    /** Decides whether there is room for a frame. */
    @FunctionalInterface
    public interface SizeGuard {
        /** Returns when there is room for so many bytes. Throws IOException if there is none, and why. */
        void admit(int length) throws IOException;
    }

    private static int length(DataInputStream in, int least) throws IOException {
        int length = in.readInt();
        if (length < least || length > LONGEST) {
            throw new FrameException("a frame of " + Integer.toUnsignedString(length) + " bytes is not one of " + least
                    + " to " + LONGEST);
        }
        return length;
    }

    private static void version(DataInputStream in) throws IOException {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new FrameException("a frame of version " + version + "; this is version " + VERSION);
        }
    }

    /**
     * One call of the front: the variables whose names begin with {@code CNI_}, and all that was read from standard
     * input.
     */
    public record CniRequest(Map<String, String> environment, byte[] stdin) {
        public CniRequest {
            environment = Map.copyOf(environment);
        }
    }

    /**
     * What the front prints, in UTF-8, and how it ends: its exit status, a result, an error or nothing for standard
     * output, and a text for people.
     */
    public record CniResponse(int exit, byte[] stdout, byte[] stderr) {
        static CniResponse of(int exit, String stdout) {
            return new CniResponse(exit, stdout.getBytes(StandardCharsets.UTF_8), new byte[0]);
        }
    }

    /** What came is no frame of this version. */
    public static final class FrameException extends IOException {
        private static final long serialVersionUID = 1;

        FrameException(String message) {
            super(message);
        }
    }
}
