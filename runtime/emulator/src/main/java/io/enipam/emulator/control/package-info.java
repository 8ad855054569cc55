/**
 * The hand behind the cloud: what is done to it not by its clients but by whoever tries them out, as a Java API and over
 * HTTP. It imports the other packages; nothing but the emulator's start and those who embed the emulator call it.
 */
@NullMarked
package io.enipam.emulator.control;

import org.jspecify.annotations.NullMarked;
