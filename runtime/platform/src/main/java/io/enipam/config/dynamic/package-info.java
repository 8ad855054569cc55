/**
 * Configuration changes at run time: the daemon reads the cluster's values periodically, applies them over the files,
 * and puts in force what needs no restart. Listeners get each change as a whole.
 */
@NullMarked
package io.enipam.config.dynamic;

import org.jspecify.annotations.NullMarked;
