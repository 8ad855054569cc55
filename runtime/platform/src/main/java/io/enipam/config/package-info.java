/**
 * The daemon's configuration: one table of settings, the files they are read from, and the sealed result. It knows the
 * shapes the other modules want ({@code EngineConfig}, {@code AliyunConfig}, {@code EmulatorConfig}) and builds them. The
 * daemon's start-up calls it, and inspection shows its entries; it keeps no state.
 */
@NullMarked
package io.enipam.config;

import org.jspecify.annotations.NullMarked;
