/**
 * Access to the API server: address, credentials, rate limits, deadlines, request counts, and when a watch has stalled. Uses
 * fabric8's client and knows nothing of pods.
 */
@NullMarked
package io.enipam.kubernetes.api;

import org.jspecify.annotations.NullMarked;
