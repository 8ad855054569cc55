/**
 * Two small tools for asynchronous code: deadlines on stages, and tasks that run one at a time per key. Every room of the
 * engine may use them; they know nothing of it but the scheduler port.
 */
@NullMarked
package io.enipam.engine.concurrent;

import org.jspecify.annotations.NullMarked;
