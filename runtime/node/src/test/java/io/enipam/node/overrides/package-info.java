@NullMarked
package io.enipam.node.overrides;

import org.jspecify.annotations.NullMarked;
