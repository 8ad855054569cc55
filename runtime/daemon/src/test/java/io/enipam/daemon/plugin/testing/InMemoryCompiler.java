package io.enipam.daemon.plugin.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles sources against the test's class path, without a file. */
final class InMemoryCompiler {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|record|enum)\\s+(\\w+)");

    private InMemoryCompiler() {}

    /** The class files, by their paths in a jar. */
    static Map<String, byte[]> compile(List<String> sources) {
        if (sources.isEmpty()) {
            return Map.of();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        Map<String, ByteArrayOutputStream> output = new HashMap<>();
        try (JavaFileManager files = new Files(compiler.getStandardFileManager(null, null, null), output)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-Xlint:none",
                    "--release",
                    "17",
                    "-classpath",
                    System.getProperty("java.class.path"));
            boolean compiled = compiler.getTask(
                            problems,
                            files,
                            null,
                            options,
                            null,
                            sources.stream().map(Source::new).toList())
                    .call();
            if (!compiled) {
                throw new IllegalArgumentException(problems.toString());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, byte[]> classes = new TreeMap<>();
        output.forEach((name, bytes) -> classes.put(name.replace('.', '/') + ".class", bytes.toByteArray()));
        return classes;
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///" + pathOf(text)), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        private static String pathOf(String text) {
            Matcher type = TYPE.matcher(text);
            if (!type.find()) {
                throw new IllegalArgumentException("no type is declared in\n" + text);
            }
            Matcher packaged = PACKAGE.matcher(text);
            String directory = packaged.find() ? packaged.group(1).replace('.', '/') + "/" : "";
            return directory + type.group(1) + ".java";
        }
    }

    private static final class Files extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> output;

        Files(JavaFileManager platform, Map<String, ByteArrayOutputStream> output) {
            super(platform);
            this.output = output;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return output.computeIfAbsent(className, name -> new ByteArrayOutputStream());
                }
            };
        }
    }
}
