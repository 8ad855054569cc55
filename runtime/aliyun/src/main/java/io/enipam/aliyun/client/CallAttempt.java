package io.enipam.aliyun.client;

import java.time.Duration;

/** One attempt at a call: how long it may take, and what the cloud called it. It lives on its caller's thread. */
public final class CallAttempt {
    private final Deadline deadline;
    private String requestId = "";

    CallAttempt(Deadline deadline) {
        this.deadline = deadline;
    }

    /** The time that is left for it. */
    Duration left() {
        return deadline.left();
    }

    /** The cloud has answered; of a call that takes several requests, the last one's name stays. */
    void answered(String id) {
        requestId = id;
    }

    /** The cloud's name of it, or empty text. */
    String requestId() {
        return requestId;
    }
}
