package io.enipam.shell.runbook;

import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How a run is told. */
enum ReportFormat {
    /** As at a prompt, for people. */
    TEXT,
    /** One JSON document a line, for programs. */
    JSONL,
    /** JUnit's XML, for a build server. */
    JUNIT;

    static final class Reader implements ITypeConverter<ReportFormat> {
        @Override
        public ReportFormat convert(String value) {
            if (value.equalsIgnoreCase("json")) {
                return JSONL; // as everywhere else: the same for a program
            }
            return Stream.of(values())
                    .filter(format -> format.toString().equalsIgnoreCase(value))
                    .findFirst()
                    .orElseThrow(
                            () -> new TypeConversionException("'" + value + "' is not text, jsonl (or json) or junit"));
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
