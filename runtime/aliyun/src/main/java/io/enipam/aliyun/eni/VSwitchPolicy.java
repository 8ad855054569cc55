package io.enipam.aliyun.eni;

/** Which of the vSwitches that have addresses the next ENI is made in: terway's {@code vswitch_selection_policy}. */
public enum VSwitchPolicy {
    /** The first in the configured order. */
    ORDERED,
    /** Any, with equal chances, so that nodes that start together spread. */
    RANDOM,
    /** The one with most free addresses, as the cloud counted them some minutes ago at most. */
    MOST
}
