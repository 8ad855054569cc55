/**
 * The language of the CNI specification 1.1.0 and of the versions before it: variables, configuration, results and
 * errors. The texts are untrusted: whatever they are, the result is a value or a
 * {@link io.enipam.frontends.cni.spec.CniException} with a code. Nothing here does anything.
 */
@NullMarked
package io.enipam.frontends.cni.spec;

import org.jspecify.annotations.NullMarked;
