package io.enipam.shell.core;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code NAMESPACE/NAME}; the daemon says whether there is such a pod. */
public final class PodNameConverter implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
        int slash = value.indexOf('/');
        if (slash > 0 && slash == value.lastIndexOf('/') && slash < value.length() - 1) {
            return value;
        }
        throw new TypeConversionException(
                slash < 0 && !value.isEmpty()
                        ? "a pod is NAMESPACE/NAME; did you mean 'default/" + value + "'?"
                        : "a pod is NAMESPACE/NAME, as in default/web-0, not '" + value + "'");
    }
}
