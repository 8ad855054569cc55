/**
 * The actions of ECS and VPC, one class each, pure functions from a call and a state to an answer and a state. They import
 * the api and cloud packages. The HTTP front finds them in {@link io.enipam.emulator.action.Actions}.
 */
@NullMarked
package io.enipam.emulator.action;

import org.jspecify.annotations.NullMarked;
