/**
 * Tools for asynchronous code: deadlines on stages, tasks that run one at a time per key, daemon threads, and the one backoff
 * of all modules. They use the scheduler port and the model, and nothing else of the engine.
 */
@NullMarked
package io.enipam.engine.concurrent;

import org.jspecify.annotations.NullMarked;
