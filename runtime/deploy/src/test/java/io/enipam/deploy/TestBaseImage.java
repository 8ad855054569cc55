package io.enipam.deploy;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A base image of one file, with what a JDK's image says of its environment. */
final class TestBaseImage {
    private TestBaseImage() {}

    /** Makes it, and returns how it is named as a base. */
    static String in(Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("os-release"), "NAME=tiny\n");
        Path tar = directory.resolve("base.tar");
        Jib.fromScratch()
                .addFileEntriesLayer(FileEntriesLayer.builder()
                        .addEntry(file, AbsoluteUnixPath.get("/etc/os-release"))
                        .build())
                .addEnvironmentVariable("JAVA_HOME", "/opt/java/openjdk")
                .addEnvironmentVariable("PATH", "/opt/java/openjdk/bin:/usr/local/bin:/usr/bin:/bin")
                .setProgramArguments("jshell")
                .containerize(Containerizer.to(TarImage.at(tar).named("base"))
                        .setApplicationLayersCache(directory.resolve("base-cache"))
                        .setBaseImageLayersCache(directory.resolve("base-cache")));
        return "tar://" + tar;
    }
}
