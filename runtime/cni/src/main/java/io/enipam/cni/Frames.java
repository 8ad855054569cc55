package io.enipam.cni;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
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
public final class Frames {
    /** The version of both frames. */
    public static final int VERSION = 1;

    /** The longest frame that is read: 16 MiB of standard input, and room for variables. */
    public static final int LONGEST = (16 << 20) + (1 << 20);

    private Frames() {}

    /**
     * Reads a call.
     *
     * @throws IOException if it is cut short, too long, or no call of this version
     */
    public static CniRequest readRequest(DataInputStream in) throws IOException {
        return readRequest(in, length -> {});
    }

    /**
     * Reads a call from whoever may send large ones.
     *
     * @param gate told the length of the frame before there is memory for it
     * @throws IOException if it is cut short, too long, or no call of this version, or the gate does not open
     */
    public static CniRequest readRequest(DataInputStream in, Gate gate) throws IOException {
        int length = length(in, 5);
        gate.admit(length);
        version(in);
        int variables = in.readInt();
        if (variables < 0 || variables > length - 5) {
            throw new IOException("the variables of a call are longer than the call: " + variables + " bytes");
        }
        Map<String, String> environment = variables(new String(in.readNBytes(variables), StandardCharsets.UTF_8));
        byte[] stdin = in.readNBytes(length - 5 - variables);
        if (stdin.length != length - 5 - variables) {
            throw new IOException("a call was cut short");
        }
        return new CniRequest(environment, stdin);
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

    /** Writes a call, and flushes. */
    public static void write(CniRequest request, DataOutputStream out) throws IOException {
        ByteArrayOutputStream variables = new ByteArrayOutputStream();
        for (Map.Entry<String, String> variable : request.environment().entrySet()) {
            variables.writeBytes((variable.getKey() + "=" + variable.getValue()).getBytes(StandardCharsets.UTF_8));
            variables.write(0);
        }
        out.writeInt(5 + variables.size() + request.stdin().length);
        out.writeByte(VERSION);
        out.writeInt(variables.size());
        variables.writeTo(out);
        out.write(request.stdin());
        out.flush();
    }

    /**
     * Reads an answer.
     *
     * @throws IOException if it is cut short, too long, or no answer of this version
     */
    public static CniAnswer readAnswer(DataInputStream in) throws IOException {
        int length = length(in, 6);
        version(in);
        int exit = in.readUnsignedByte();
        int errors = in.readInt();
        if (errors < 0 || errors > length - 6) {
            throw new IOException("the standard error of an answer is longer than the answer: " + errors + " bytes");
        }
        byte[] stderr = in.readNBytes(errors);
        byte[] stdout = in.readNBytes(length - 6 - errors);
        if (stdout.length != length - 6 - errors) {
            throw new IOException("an answer was cut short");
        }
        return new CniAnswer(exit, stdout, stderr);
    }

    /** Writes an answer, and flushes. */
    public static void write(CniAnswer answer, DataOutputStream out) throws IOException {
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
    public interface Gate {
        /**
         * Returns when there is.
         *
         * @param length of the frame, in bytes
         * @throws IOException if there is none, and why
         */
        void admit(int length) throws IOException;
    }

    private static int length(DataInputStream in, int least) throws IOException {
        int length = in.readInt();
        if (length < least || length > LONGEST) {
            throw new IOException("a frame of " + Integer.toUnsignedString(length) + " bytes is not one of " + least
                    + " to " + LONGEST);
        }
        return length;
    }

    private static void version(DataInputStream in) throws IOException {
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new IOException("a frame of version " + version + "; this is version " + VERSION);
        }
    }
}
