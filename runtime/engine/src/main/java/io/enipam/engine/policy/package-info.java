/**
 * Pool policies inside the engine: the built-in {@code watermark} policy, and the guard that stands between the engine
 * and any policy. The pool calls the guard; the guard calls policies and trusts none of their answers.
 */
@NullMarked
package io.enipam.engine.policy;

import org.jspecify.annotations.NullMarked;
