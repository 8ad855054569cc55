/**
 * A cloud in memory for tests and simulations of the factory, with quotas, states that take time, and faults on demand. It
 * implements the api package's port and imports nothing else of this module. Tests call it; production code does not.
 */
@NullMarked
package io.enipam.aliyun.testing;

import org.jspecify.annotations.NullMarked;
