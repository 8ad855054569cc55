/**
 * The policy {@code churn-adaptive}: a warm pool sized for a stated probability of waiting. {@link
 * io.enipam.examples.churnadaptive.Churn} estimates from what happened lately, {@link
 * io.enipam.examples.churnadaptive.Demand} knows the distribution, {@link io.enipam.examples.churnadaptive.Sizing} puts both
 * together, and {@link io.enipam.examples.churnadaptive.ChurnAdaptivePlugin} answers. Imports the SDK alone; the daemon calls
 * it.
 */
@NullMarked
package io.enipam.examples.churnadaptive;

import org.jspecify.annotations.NullMarked;
