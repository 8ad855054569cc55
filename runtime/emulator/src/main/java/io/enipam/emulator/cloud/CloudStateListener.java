package io.enipam.emulator.cloud;

/** Something that does what the cloud's books say, and takes a moment for it. Thread-safe. */
public interface CloudStateListener {
    /** Nothing follows. */
    CloudStateListener NONE = new CloudStateListener() {
        @Override
        public void changed() {}

        @Override
        public void await() {}
    };

    /** The books have changed. Does not wait. */
    void changed();

    /** Waits until all is done that the books say now, or until a deadline of seconds has passed. */
    void await();
}
