/**
 * The metadata service of an instance. It imports the cloud, auth, fault and http packages. The emulator's start alone calls it.
 */
@NullMarked
package io.enipam.emulator.metadata;

import org.jspecify.annotations.NullMarked;
