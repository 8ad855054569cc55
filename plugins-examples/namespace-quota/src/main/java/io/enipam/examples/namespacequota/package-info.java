/**
 * The policy {@code namespace-quota}: no more addresses of the node for one namespace than its quota. {@link
 * io.enipam.examples.namespacequota.Quotas} are the settings, {@link io.enipam.examples.namespacequota.NamespaceUse} counts a
 * snapshot, and {@link io.enipam.examples.namespacequota.NamespaceQuotaPolicy} compares the two. Imports the SDK alone; the
 * daemon calls it.
 */
@NullMarked
package io.enipam.examples.namespacequota;

import org.jspecify.annotations.NullMarked;
