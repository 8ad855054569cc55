package io.enipam.cni;

import static io.enipam.cni.CallFailedException.UNANSWERED;

import io.enipam.cni.FrameCodec.CniResponse;
import io.enipam.cni.FrameCodec.FrameException;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** One call and its answer on the daemon's socket. It waits without a limit: the caller has the deadline. */
final class DaemonClient {
    private DaemonClient() {}

    /**
     * Sends a call, with its variables as {@link FrameCodec} has them, and reads the answer. Throws CallFailedException
     * with code 11 if there is none.
     */
    static CniResponse exchange(Path socket, byte[] variables, byte[] stdin)
            throws CallFailedException, InterruptedException {
        try (SocketChannel channel = connected(socket)) {
            send(channel, variables, stdin);
            return FrameCodec.readAnswer(new DataInputStream(Channels.newInputStream(channel)));
        } catch (FrameException e) {
            throw new CallFailedException(
                    UNANSWERED,
                    "what came from " + socket + " is no answer of enipamd: " + e.getMessage(),
                    "front and daemon are of different versions, or another listens there; enipam-cni-install updates"
                            + " the front");
        } catch (IOException e) {
            throw new CallFailedException(
                    UNANSWERED,
                    "enipamd at " + socket + " closed the connection before its answer was complete",
                    "it may have been stopped; the call may be repeated");
        }
    }

    private static SocketChannel connected(Path socket) throws CallFailedException, InterruptedException {
        while (true) {
            try {
                return SocketChannel.open(UnixDomainSocketAddress.of(socket));
            } catch (IOException | IllegalArgumentException e) {
                String why = String.valueOf(e.getMessage());
                // as many are waiting as the daemon lets wait
                if (!why.equals("Resource temporarily unavailable")) {
                    throw new CallFailedException(
                            UNANSWERED,
                            "enipamd cannot be reached at " + socket + ": " + why,
                            "look whether it runs on this node; the call may be repeated");
                }
                Thread.sleep(5);
            }
        }
    }

    private static void send(SocketChannel channel, byte[] variables, byte[] stdin) throws IOException {
        ByteArrayOutputStream call = new ByteArrayOutputStream(9 + variables.length + stdin.length);
        FrameCodec.writeCall(variables, stdin, new DataOutputStream(call));
        ByteBuffer bytes = ByteBuffer.wrap(call.toByteArray());
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException closed) {
            // it takes no more of the call: perhaps it has answered already, and else reading says so
            return;
        }
    }
}
