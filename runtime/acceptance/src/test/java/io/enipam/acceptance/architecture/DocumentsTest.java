package io.enipam.acceptance.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.enipam.acceptance.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The Markdown documents of the tree: their length, their links, and the paths that they name. */
class DocumentsTest {
    private static final int LINE = 140;
    private static final int README = 180;
    private static final Pattern LINK = Pattern.compile("\\[[^]]*]\\(([^)\\s]+)\\)");
    private static final Pattern PATH =
            Pattern.compile("`((?:runtime|shell|sdk|plugins-examples)/[A-Za-z0-9_./-]*[A-Za-z0-9_/-])`");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*)`");
    private static final Pattern DECLARATION = Pattern.compile("\\b(?:class|record|enum|interface) (\\w+)");
    private static final Pattern SOURCE =
            Pattern.compile("`((?:runtime|shell|sdk)[a-z/-]*)`: `(io/enipam/[\\w/]+\\.java)`");
    /** The documents in which a name of this form is a Java type; elsewhere it may be an event or an alert. */
    private static final List<String> ABOUT_CODE = List.of(
            "README.md",
            "runtime/docs/architecture.md",
            "runtime/docs/contributing.md",
            "runtime/docs/glossary.md",
            "runtime/docs/tests.md");
    /** Made by a build. */
    private static final Pattern BUILT = Pattern.compile(".*/target(/.*)?");

    @Test
    void noLineOfADocumentIsLongerThan140Characters() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path document : documents()) {
            List<String> lines = Files.readAllLines(document);
            for (int at = 0; at < lines.size(); at++) {
                if (lines.get(at).codePointCount(0, lines.get(at).length()) > LINE) {
                    tooLong.add(document + ":" + (at + 1));
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void theReadmeIsOfAtMost180Lines() throws IOException {
        assertThat(Files.readAllLines(Project.root().resolve("README.md"))).hasSizeLessThanOrEqualTo(README);
    }

    @Test
    void theReadmesTableOfModulesHasEachModuleOfTheBuild() throws IOException {
        String readme = Files.readString(Project.root().resolve("README.md"));
        List<String> absent = Pattern.compile("<module>([^<]+)</module>")
                .matcher(Files.readString(Project.root().resolve("pom.xml")))
                .results()
                .map(module -> "`" + module.group(1) + "`")
                .filter(module -> !readme.contains(module))
                .toList();
        assertThat(absent).isEmpty();
    }

    @Test
    void everyRelativeLinkLeadsToAFileAndToAHeadingOfIt() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path document : documents()) {
            for (Matcher link = LINK.matcher(prose(document)); link.find(); ) {
                String[] target = link.group(1).split("#", 2);
                Path file = target[0].isEmpty()
                        ? document
                        : document.resolveSibling(target[0]).normalize();
                boolean elsewhere = link.group(1).matches("[a-z]+:.*");
                boolean found = Files.exists(file)
                        && (target.length == 1 || anchors(file).contains(target[1]));
                if (!elsewhere && !found) {
                    broken.add(document + " -> " + link.group(1));
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyPathOfTheTreeThatADocumentNamesExists() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path document : documents()) {
            for (Matcher path = PATH.matcher(prose(document)); path.find(); ) {
                String named = path.group(1);
                if (!BUILT.matcher(named).matches()
                        && !Files.exists(Project.root().resolve(named))) {
                    missing.add(document + ": " + named);
                }
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyTypeThatADocumentAboutTheCodeNamesExists() throws IOException {
        Set<String> types = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Project.root())) {
            for (Path file : files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .toList()) {
                DECLARATION.matcher(Files.readString(file)).results().forEach(found -> types.add(found.group(1)));
            }
        }
        List<String> unknown = new ArrayList<>();
        for (String document : ABOUT_CODE) {
            TYPE.matcher(prose(Project.root().resolve(document)))
                    .results()
                    .map(found -> found.group(1))
                    .filter(type -> !types.contains(type))
                    .forEach(type -> unknown.add(document + ": " + type));
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void everySourceFileOfAWorkedChangeExists() throws IOException {
        Path document = Project.root().resolve("runtime/docs/contributing.md");
        assertThat(SOURCE.matcher(prose(document)).results())
                .hasSizeGreaterThan(10)
                .allSatisfy(found -> assertThat(Project.root()
                                .resolve(found.group(1))
                                .resolve("src/main/java")
                                .resolve(found.group(2)))
                        .exists());
    }

    private static Set<Path> documents() throws IOException {
        try (Stream<Path> files = Files.walk(Project.root())) {
            Set<Path> documents = new TreeSet<>();
            files.filter(file -> file.toString().endsWith(".md")
                            && !file.toString().contains("/target/")
                            && !file.toString().contains("/."))
                    .forEach(documents::add);
            return documents;
        }
    }

    /** A document without its blocks of code. */
    private static String prose(Path document) throws IOException {
        return Files.readString(document).replaceAll("(?ms)^ *```.*?^ *```$", "");
    }

    /** The names by which a link reaches the headings of a document, as code hosts make them. */
    private static List<String> anchors(Path document) throws IOException {
        return prose(document)
                .lines()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ *", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }
}
