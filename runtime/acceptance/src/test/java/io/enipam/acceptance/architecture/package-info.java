/** The walls between the modules: who may depend on whom, in the POMs and in the byte code. */
@NullMarked
package io.enipam.acceptance.architecture;

import org.jspecify.annotations.NullMarked;
