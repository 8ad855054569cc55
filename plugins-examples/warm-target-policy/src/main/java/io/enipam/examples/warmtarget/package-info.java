/**
 * The policy {@code warm-target}: how many addresses a node keeps warm, in the words of the AWS VPC CNI. {@link
 * io.enipam.examples.warmtarget.WarmTargetConfig} are the settings, {@link io.enipam.examples.warmtarget.AddressCounts} counts a snapshot once,
 * and {@link io.enipam.examples.warmtarget.WarmTargetPolicy} answers from both. Imports the SDK alone; the daemon calls it.
 */
@NullMarked
package io.enipam.examples.warmtarget;

import org.jspecify.annotations.NullMarked;
