package io.enipam.pluginhost.testing;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.StringWriter;
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
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles sources against the test's class path, without a file. */
final class InMemoryCompiler {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^\\s*package\\s+([\\w.]+)\\s*;");
    private static final Pattern TYPE = Pattern.compile("\\b(?:class|interface|record|enum)\\s+(\\w+)");

    /** Kept open, since it reads what it finds on the class path but once. */
    private static final StandardJavaFileManager PLATFORM =
            ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null);

    private static final Map<List<String>, Map<String, byte[]>> COMPILED = new HashMap<>();

    private InMemoryCompiler() {}

    /** The class files, by their paths in a jar. */
    static synchronized Map<String, byte[]> compile(List<String> sources) {
        if (sources.isEmpty()) {
            return Map.of();
        }
        return COMPILED.computeIfAbsent(List.copyOf(sources), InMemoryCompiler::compileAnew);
    }

    private static Map<String, byte[]> compileAnew(List<String> sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        Map<String, ByteArrayOutputStream> output = new HashMap<>();
        List<String> options =
                List.of("-proc:none", "-Xlint:none", "-classpath", System.getProperty("java.class.path"));
        List<Source> units = sources.stream().map(Source::new).toList();
        if (!compiler.getTask(problems, new InMemoryFiles(PLATFORM, output), null, options, null, units)
                .call()) {
            throw new IllegalArgumentException(problems.toString());
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

    private static final class InMemoryFiles extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> output;

        InMemoryFiles(JavaFileManager platform, Map<String, ByteArrayOutputStream> output) {
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
