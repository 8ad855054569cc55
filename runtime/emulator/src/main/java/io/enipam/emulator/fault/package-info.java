/**
 * What goes wrong on purpose: rules that spoil calls, windows that throttle them, ENIs that stick. It imports the api and
 * cloud packages. The HTTP front and the metadata service ask it at each call; tests, the control API and a daemon that
 * embeds the emulator fill it. Everything random follows from the emulator's seed.
 */
@NullMarked
package io.enipam.emulator.fault;

import org.jspecify.annotations.NullMarked;
