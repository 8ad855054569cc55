/**
 * What is done to the resource database besides using it: looking whether it is sound, saving it to a file, and bringing it
 * back. Here are the values those tools take and give; what works on the files lives in the store itself. The daemon's
 * services and its command line use it.
 */
@NullMarked
package io.enipam.store.tools;

import org.jspecify.annotations.NullMarked;
