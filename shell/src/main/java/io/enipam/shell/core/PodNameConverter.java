package io.enipam.shell.core;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code NAMESPACE/NAME}, or a name alone, which {@link Session#podNamed} completes before the command runs. */
public final class PodNameConverter implements ITypeConverter<String> {
    @Override
    public String convert(String value) {
        int slash = value.indexOf('/');
        boolean whole = slash > 0 && slash == value.lastIndexOf('/') && slash < value.length() - 1;
        if (whole || (slash < 0 && !value.isEmpty())) {
            return value;
        }
        throw new TypeConversionException("a pod is NAMESPACE/NAME, as in default/web-0, not '" + value + "'");
    }
}
