/**
 * The way to the API server: where it is, who asks, how often, how long anybody waits, and what was asked. Knows fabric8's
 * client and nothing of pods.
 */
@NullMarked
package io.enipam.kubernetes.api;

import org.jspecify.annotations.NullMarked;
