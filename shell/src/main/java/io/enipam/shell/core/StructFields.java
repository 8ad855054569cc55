package io.enipam.shell.core;

import com.google.protobuf.Struct;

/** Fields of what no daemon tells, for which the protocol has no message. Numbers are text, as the protocol's own are. */
public final class StructFields {
    private StructFields() {}

    /** A field that is text. Throws IllegalArgumentException if it is not there. */
    public static String text(Struct item, String name) {
        return item.getFieldsOrThrow(name).getStringValue();
    }
}
