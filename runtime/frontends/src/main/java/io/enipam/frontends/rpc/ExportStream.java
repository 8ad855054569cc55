package io.enipam.frontends.rpc;

import com.google.protobuf.ByteString;
import io.enipam.v1.ExportDbReply;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.function.Supplier;

/** Sends lines in parts, never faster than the reader reads. Used by one call; gRPC serialises the handler. */
final class ExportStream {
    private static final int PART = 1 << 16;

    private final ServerCallStreamObserver<ExportDbReply> observer;
    private final Iterator<byte[]> lines;
    private boolean done;

    private ExportStream(ServerCallStreamObserver<ExportDbReply> observer, Iterator<byte[]> lines) {
        this.observer = observer;
        this.lines = lines;
    }

    /** Must be called before the service method returns: gRPC accepts handlers only until then. */
    static void send(StreamObserver<ExportDbReply> observer, Supplier<Iterator<byte[]>> export) {
        ServerCallStreamObserver<ExportDbReply> server = (ServerCallStreamObserver<ExportDbReply>) observer;
        UnaryReplies.tolerateCancellation(server);
        try {
            server.setOnReadyHandler(new ExportStream(server, export.get())::pump);
        } catch (RuntimeException e) {
            observer.onError(GrpcFailures.of(e));
        }
    }

    private void pump() {
        while (!done && observer.isReady() && !observer.isCancelled()) {
            ByteString.Output part = ByteString.newOutput(PART);
            while (lines.hasNext() && part.size() < PART) {
                byte[] line = lines.next();
                part.write(line, 0, line.length);
            }
            if (part.size() == 0) {
                done = true;
                observer.onCompleted();
                return;
            }
            observer.onNext(
                    ExportDbReply.newBuilder().setData(part.toByteString()).build());
        }
    }
}
