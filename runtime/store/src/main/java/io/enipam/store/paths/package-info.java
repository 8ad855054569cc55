/** A sorted map from paths to values whose copies share what they have in common. It imports the JDK alone. */
@NullMarked
package io.enipam.store.paths;

import org.jspecify.annotations.NullMarked;
