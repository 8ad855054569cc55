package io.enipam.sdk.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a flawed implementation's contract: which tests of it must find the flaw. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface Breaks {
    /** The test that must fail. */
    String value();

    /** A part of what it says then. */
    String saying() default "the rule:";

    /** Tests that the same flaw cannot help but break as well, now and then or always. */
    String[] orAlso() default {};
}
