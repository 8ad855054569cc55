/**
 * The engine's terms as values: owner, lease, hold, pod, event, error. Records and enums without behaviour beyond their
 * own validity. Everything in the engine and behind its ports uses them; they import {@code io.enipam.sdk} alone.
 */
@NullMarked
package io.enipam.engine.model;

import org.jspecify.annotations.NullMarked;
