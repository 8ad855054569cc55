/**
 * A factory around any other, which spares a provider that is slow, busy or down: a rate limit and a circuit breaker on
 * creates, and one question to the provider for all who ask for its list at the same time.
 *
 * <p>{@link io.enipam.examples.resilient.ResilientFactory} puts the three together; each of them is a class of its own that
 * knows nothing of the others. The package imports the SDK, slf4j, bucket4j (the rate limit) and resilience4j (the breaker).
 */
@NullMarked
package io.enipam.examples.resilient;

import org.jspecify.annotations.NullMarked;
