package io.enipam.pluginhost;

/** The source of a factory that keeps its addresses as files, for plugins whose jar is replaced or whose process is killed. */
final class BoardSource {
    /** The class {@code plugins.furniture.Board}: ten addresses, a file of the directory for each one that is out. */
    static final String BOARD = """
            package plugins.furniture;
            import io.enipam.sdk.*;
            import java.io.*;
            import java.nio.file.*;
            import java.util.*;
            import java.util.concurrent.*;

            class Board implements ResourceFactory {
                private final Path out;
                Board(Path out) {
                    this.out = out;
                    try {
                        Files.createDirectories(out);
                    } catch (IOException e) {
                        throw new FactoryException(ErrorKind.INTERNAL, e.toString());
                    }
                }
                public ResourceKind kind() { return new ResourceKind("board"); }
                public Capabilities capabilities() { return new Capabilities(Set.of(Family.IPV4), 10, 1, false); }
                public synchronized List<CompletionStage<CreateResult>> create(List<CreateRequest> requests) {
                    List<CompletionStage<CreateResult>> stages = new ArrayList<>();
                    for (CreateRequest request : requests) stages.add(CompletableFuture.completedStage(one()));
                    return stages;
                }
                private CreateResult one() {
                    for (int i = 1; i <= 10; i++) {
                        try {
                            Files.createFile(out.resolve("10.8.0." + i));
                            return new Created(resource("10.8.0." + i));
                        } catch (FileAlreadyExistsException e) {
                            // the next one
                        } catch (IOException e) {
                            return Failed.of(ErrorKind.UNAVAILABLE, e.toString());
                        }
                    }
                    return Failed.of(ErrorKind.ADDRESSES_EXHAUSTED, "all ten are out");
                }
                private Resource resource(String host) {
                    return new Resource(new ResourceId("board/" + host), kind(), List.of(Address.parse(host + "/24")), "", Map.of());
                }
                public List<CompletionStage<DisposeResult>> dispose(List<Resource> resources) {
                    List<CompletionStage<DisposeResult>> stages = new ArrayList<>();
                    for (Resource resource : resources) {
                        out.resolve(resource.addresses().get(0).host()).toFile().delete();
                        stages.add(CompletableFuture.completedStage(new Disposed(resource.id())));
                    }
                    return stages;
                }
                public CompletionStage<List<Resource>> list() {
                    List<Resource> there = new ArrayList<>();
                    for (String name : out.toFile().list()) there.add(resource(name));
                    return CompletableFuture.completedStage(there);
                }
            }
            """;

    private BoardSource() {}
}
