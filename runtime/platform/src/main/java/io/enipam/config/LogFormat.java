package io.enipam.config;

/** How a log record is written. */
public enum LogFormat {
    /** One readable line. */
    LINE,
    /** One JSON object a line. */
    JSON
}
