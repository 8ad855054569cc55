/** The program that runs a daemon of role CLUSTER with an API server in memory, for {@code enipam --sandbox --role cluster --nodes N}. */
@NullMarked
package io.enipam.sandbox;

import org.jspecify.annotations.NullMarked;
