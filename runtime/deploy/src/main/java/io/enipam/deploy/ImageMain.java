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
 * The build's step that makes the image. Arguments: the checkout, the tar to write, the version, the time the image says, the
 * architecture, whether the build is offline, and the base; an empty one is the usual base.
 *
 * <p>Without the usual base there is no image, which is told in one line and is no error: most builds are for the programs.
 * Whoever names a base wants an image, and the step fails if there is none.
 */
public final class ImageMain {
    /** A JDK, and no JRE: jcmd, jstack and jfr are there when somebody needs them at night. */
    static final String USUAL_BASE = "docker.io/library/eclipse-temurin:17-jdk-jammy";

    private static final String OFFLINE = "offline=";
    private static final String BASE = "base=";
    private static final Duration PATIENCE = Duration.ofSeconds(4);
    /** A build that nobody asked for an image does not wait long for one. */
    private static final Duration UNASKED = Duration.ofSeconds(90);

    private static final Duration ASKED = Duration.ofMinutes(15);

    private final PrintStream out;

    ImageMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        // what Jib waits for each answer of a registry
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
        // one of an earlier build is not this one's
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
