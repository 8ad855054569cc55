/**
 * What may stand behind a command: filters of its lines, and a file for them.
 *
 * <p>{@link io.enipam.shell.pipe.Pipeline} is the grammar, {@link io.enipam.shell.pipe.Filter} the filters, and
 * {@link io.enipam.shell.pipe.PipelineExecution} a pipeline at work. Lines are handed on one by one as they are printed, so that a stream
 * without end can be filtered; only {@code sort} keeps all of them. A library is loaded by the filter that needs it alone.
 */
@NullMarked
package io.enipam.shell.pipe;

import org.jspecify.annotations.NullMarked;
