package io.enipam.recovery;

/** What the API server says of a pod. */
enum PodView {
    RUNS("runs"),
    /** There is no such pod, it has finished, or another one has its name. */
    GONE("gone"),
    /** The API server did not answer. */
    UNKNOWN("?");

    private final String words;

    PodView(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
