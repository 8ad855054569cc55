/**
 * The pool: one state machine under one lock, and the provisioner that fills and drains it through a factory. Manager,
 * recovery and inspection call it; it calls the policy guard, the factory and the database outside its lock.
 */
@NullMarked
package io.enipam.engine.pool;

import org.jspecify.annotations.NullMarked;
