package io.enipam.aliyun.eni;

/** What becomes of an ENI that another actor has taken off the instance while addresses of it are in use. */
public enum LostEniPolicy {
    /** It is attached again; if that fails, it is kept until its addresses are given back. */
    REATTACH,
    /** It stays off the instance, is kept until its addresses are given back, and is deleted then. */
    RELEASE
}
