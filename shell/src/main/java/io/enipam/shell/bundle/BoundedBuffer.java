package io.enipam.shell.bundle;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;

/** Keeps the first bytes and swallows the rest. Thread-safe: whoever was left behind may still write. */
final class BoundedBuffer extends OutputStream {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final int most;
    private boolean cut;

    BoundedBuffer(int most) {
        this.most = most;
    }

    @Override
    public synchronized void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] data, int offset, int length) {
        int room = Math.min(length, most - kept.size());
        kept.write(data, offset, room);
        cut |= room < length;
    }

    synchronized byte[] content() {
        return kept.toByteArray();
    }

    synchronized boolean cut() {
        return cut;
    }
}
