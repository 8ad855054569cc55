package io.enipam.deploy;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainer;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;

/**
 * One image: enipam's layers on a base, as a tar for {@code docker load}, {@code ctr image import} and {@code skopeo}.
 * The same files on the same base give the same image, bit for bit.
 *
 * @param base in Jib's notation: {@code REGISTRY/NAME:TAG}, {@code tar://PATH}, {@code docker://NAME}
 * @param version of enipam, which is the image's tag
 * @param created the creation time that the image states, independent of the clock
 * @param architecture of the base, as in {@code amd64}
 * @param offline whether only a base cached by an earlier build may be used
 * @param cache where layers are kept between builds; empty for the user's cache that all of Jib's builds share
 */
record ImageBuild(
        String base, String version, Instant created, String architecture, boolean offline, Optional<Path> cache) {
    static final String NAME = "enipam";

    /** The digests of a finished image, as {@code sha256:...}: of the manifest, and of the configuration. */
    record Made(String digest, String id) {}

    /**
     * @param tar the output file
     * @param threads for Jib's work
     * @throws IOException if the base is unavailable, or another step fails; the message is the cause's
     */
    Made to(Path tar, List<FileEntriesLayer> layers, ExecutorService threads) throws IOException, InterruptedException {
        try {
            JibContainerBuilder image = Jib.from(base)
                    .setPlatforms(Set.of(new Platform(architecture, "linux")))
                    .setFileEntriesLayers(layers)
                    .setEntrypoint(ImageContents.HOME + "/runtime/bin/enipamd")
                    .setProgramArguments(List.of())
                    // sockets, links and namespaces need root; the pod's capabilities limit what root may do
                    .setUser("0:0")
                    .setWorkingDirectory(AbsoluteUnixPath.get("/"))
                    .setCreationTime(created)
                    .setLabels(Map.of(
                            "org.opencontainers.image.title",
                            NAME,
                            "org.opencontainers.image.version",
                            version,
                            "org.opencontainers.image.licenses",
                            "Apache-2.0",
                            "org.opencontainers.image.description",
                            "The ENI IPAM engine of a Kubernetes node on Alibaba Cloud, and its shell"));
            Containerizer target = Containerizer.to(TarImage.at(tar).named(NAME + ":" + version))
                    .setToolName(NAME)
                    .setToolVersion(version)
                    .setOfflineMode(offline)
                    .setExecutorService(threads);
            cache.ifPresent(directory -> target.setApplicationLayersCache(directory.resolve("layers"))
                    .setBaseImageLayersCache(directory.resolve("base")));
            JibContainer made = image.containerize(target);
            return new Made(made.getDigest().toString(), made.getImageId().toString());
        } catch (InvalidImageReferenceException e) {
            throw new IOException("'" + base + "' is no name of an image", e);
        } catch (RegistryException | CacheDirectoryCreationException | IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(cause.getMessage() == null ? cause.toString() : cause.getMessage(), e);
        }
    }
}
