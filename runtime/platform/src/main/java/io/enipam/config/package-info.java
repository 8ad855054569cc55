/**
 * The daemon's configuration: one table of settings, the files with their values, and the sealed result. It builds the
 * configurations of other modules ({@code EngineConfig}, {@code AliyunConfig}, {@code EmulatorConfig}). The daemon's
 * start-up calls it, and inspection shows its entries; it keeps no state.
 */
@NullMarked
package io.enipam.config;

import org.jspecify.annotations.NullMarked;
