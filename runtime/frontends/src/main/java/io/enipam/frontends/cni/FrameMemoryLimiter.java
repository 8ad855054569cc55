package io.enipam.frontends.cni;

import io.enipam.cni.FrameCodec;
import io.enipam.frontends.cni.spec.CniErrorCode;
import io.enipam.frontends.cni.spec.CniException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The memory that calls may take together. One of the usual size, a few kilobytes, is let in as it comes; larger ones wait until
 * those before them are answered. Thread-safe.
 */
final class FrameMemoryLimiter {
    private static final int SMALL_BYTES = 64 << 10;
    private static final int UNIT_BYTES = 1 << 10;

    /** Two of the largest at once. */
    private static final int UNITS = 2 * (FrameCodec.LONGEST / UNIT_BYTES);

    private final Semaphore units = new Semaphore(UNITS, true);
    private final long patienceMillis;

    FrameMemoryLimiter(long patienceMillis) {
        this.patienceMillis = patienceMillis;
    }

    /** What one call takes of it, given back when it is closed. Not thread-safe. */
    final class Reservation implements FrameCodec.SizeGuard, AutoCloseable {
        private int taken;

        /** @throws CniException code 11 if there is none for too long, or the daemon stops */
        @Override
        public void admit(int length) {
            if (length <= SMALL_BYTES) {
                return;
            }
            int wanted = (length + UNIT_BYTES - 1) / UNIT_BYTES;
            try {
                if (!units.tryAcquire(wanted, patienceMillis, TimeUnit.MILLISECONDS)) {
                    throw new CniException(
                            CniErrorCode.TRY_AGAIN,
                            "other calls take the memory that one of " + length + " bytes needs",
                            "try again: it is free when they are answered");
                }
                taken = wanted;
            } catch (InterruptedException e) {
                throw Deadline.stops(e);
            }
        }

        @Override
        public void close() {
            units.release(taken);
            taken = 0;
        }
    }

    Reservation share() {
        return new Reservation();
    }
}
