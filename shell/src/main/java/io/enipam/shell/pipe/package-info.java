/**
 * Running a line: commands, the filters behind them and a file. {@link io.enipam.shell.pipe.Pipeline} is what was
 * typed, {@link io.enipam.shell.pipe.CommandRunner} runs it, {@link io.enipam.shell.pipe.PipelineExecution} passes
 * lines on one by one, so that a stream without end can be filtered. A library is loaded only with the filter that
 * needs it. The package imports {@code core}.
 */
@NullMarked
package io.enipam.shell.pipe;

import org.jspecify.annotations.NullMarked;
