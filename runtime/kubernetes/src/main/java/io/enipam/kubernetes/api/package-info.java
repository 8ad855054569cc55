/**
 * Access to the API server: address, credentials, rate limits, deadlines, and request counts. Uses fabric8's client and
 * knows nothing of pods.
 */
@NullMarked
package io.enipam.kubernetes.api;

import org.jspecify.annotations.NullMarked;
