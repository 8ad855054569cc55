package io.enipam.aliyun.credentials;

/** Where the keys come from. Thread-safe. */
public interface CredentialsProvider {
    /**
     * The keys to sign with now. Waits for seconds at most, and only if there are none that hold.
     *
     * @throws CredentialsException if there are none
     */
    CloudCredentials current();

    /** Counts how often the keys have changed. */
    long generation();

    /**
     * The cloud does not accept the keys: looks whether there are newer ones. Waits for seconds at most.
     *
     * @param generation that of the keys that were not accepted
     * @return whether {@link #current} gives others now
     */
    boolean refreshIfNewer(long generation);

    /** Where the keys come from, as the end of "check ...". */
    String location();
}
