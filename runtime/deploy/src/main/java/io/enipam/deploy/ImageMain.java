package io.enipam.deploy;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * The build step that makes the image. Arguments: the checkout, the tar to write, the version, the image's creation
 * time, the architecture, whether the build is offline, and the base; an empty base means the default one.
 *
 * <p>If the default base is unavailable, the step prints one line, makes no image and succeeds: most builds need only
 * the programs. If a base is named, the step fails without an image.
 */
public final class ImageMain {
    /** A JDK, not a JRE, so that jcmd, jstack and jfr are available for diagnosis. */
    static final String USUAL_BASE = "docker.io/library/eclipse-temurin:17-jdk-jammy";

    private static final String OFFLINE = "offline=";
    private static final String BASE = "base=";
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    /** A build without a named base does not wait long for an image. */
    private static final Duration UNASKED = Duration.ofSeconds(90);

    private static final Duration ASKED = Duration.ofMinutes(15);

    private final PrintStream out;

    ImageMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        // Jib's timeout for each answer of a registry
        System.getProperties().putIfAbsent("jib.httpTimeout", "10000");
        System.exit(new ImageMain(System.out).run(args));
    }

    /** Returns the exit status. */
    int run(String... args) throws IOException, InterruptedException {
        if (args.length != 7 || !args[5].startsWith(OFFLINE) || !args[6].startsWith(BASE)) {
            out.println("enipam-image: usage: HOME TAR VERSION CREATED ARCHITECTURE offline=true|false base=[IMAGE]");
            return 2;
        }
        boolean offline = args[5].equals(OFFLINE + "true");
        String base = args[6].substring(BASE.length());
        boolean named = !base.isEmpty();
        ImageBuild build = new ImageBuild(
                named ? base : USUAL_BASE, args[2], Instant.parse(args[3]), args[4], offline, Optional.empty());
        Optional<String> trouble = offline ? Optional.empty() : new RegistryProbe(PATIENCE).problem(build.base());
        Path tar = Path.of(args[1]).toAbsolutePath();
        Files.createDirectories(tar.getParent());
        // an image of an earlier build does not belong to this one
        Files.deleteIfExists(tar);
        Path front = Path.of(args[0]).resolve("runtime/cni/target/bin");
        try {
            Optional<String> remark = CniPluginFiles.remark(front, args[4]);
            if (trouble.isPresent()) {
                throw new IOException(trouble.get());
            }
            ImageBuild.Made made = made(build, Path.of(args[0]), tar, named ? ASKED : UNASKED);
            out.println(
                    "enipam-image: " + ImageBuild.NAME + ":" + build.version() + " is " + tar + ", " + made.digest());
            remark.ifPresent(text -> out.println("enipam-image: " + text));
            return 0;
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            out.println(
                    "enipam-image: no image" + (named ? "" : ", and all else is built") + ": the base " + build.base()
                            + " cannot be used: " + why + (offline ? " (the build is offline)" : "")
                            + (named ? "" : "; another is named by -Denipam.image.base=tar://FILE or a registry's"));
            return named ? 1 : 0;
        }
    }

    private static ImageBuild.Made made(ImageBuild build, Path home, Path tar, Duration limit)
            throws IOException, InterruptedException {
        Path scratch = Files.createTempDirectory(tar.getParent(), ".image");
        ExecutorService threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "image");
            thread.setDaemon(true);
            return thread;
        });
        try {
            var layers = new ImageContents(home, scratch).layers();
            Future<ImageBuild.Made> made = threads.submit(() -> build.to(tar, layers, threads));
            return made.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(String.valueOf(e.getCause()), e);
        } catch (TimeoutException e) {
            throw new IOException("it was not there after " + limit.toSeconds() + " s", e);
        } finally {
            threads.shutdownNow();
            delete(scratch);
        }
    }

    private static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }
}
