/** SourceComparison the kernel with what should be there, on complete dumps of it. */
@NullMarked
package io.enipam.datapath.inspect;

import org.jspecify.annotations.NullMarked;
