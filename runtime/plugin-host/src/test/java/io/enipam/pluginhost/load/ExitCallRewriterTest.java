package io.enipam.pluginhost.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.enipam.pluginhost.testing.PluginJar;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A plugin that would end the process, in all the ways a compiler knows. If one works, this test's JVM is gone. */
class ExitCallRewriterTest {
    @TempDir
    Path directory;

    @AutoClose
    private PluginInstallation daemon;

    @BeforeEach
    void directory() {
        daemon = new PluginInstallation(directory);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "System.exit(3);                                               | System.exit(3)",
                "Runtime.getRuntime().exit(4);                                 | Runtime.exit(4)",
                "Runtime.getRuntime().halt(5);                                 | Runtime.halt(5)",
                "java.util.function.IntConsumer end = System::exit; end.accept(6); | System.exit(6)",
                "java.util.function.IntConsumer end = Runtime.getRuntime()::exit; end.accept(7); | Runtime.exit(7)",
                "java.util.function.ObjIntConsumer<Runtime> end = Runtime::halt; end.accept(Runtime.getRuntime(), 8);"
                        + " | Runtime.halt(8)",
                "new Thread(() -> System.exit(9)).run();                       | System.exit(9)",
                "List.of(10).forEach(System::exit);                            | System.exit(10)",
            })
    void isRefused(String deed, String call) {
        daemon.add(PluginJar.of("killer").source("""
                package deed;
                import java.util.*;
                public class Deed implements Runnable { public void run() { %s } }
                """.formatted(deed)).plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();

        assertThatExceptionOfType(SecurityException.class)
                .isThrownBy(() -> runnable(loader, "deed.Deed").run())
                .withMessage("plugin killer called " + call + ": refused");
        assertThat(loader.exitsStopped()).isEqualTo(1);
    }

    @Test
    void everyAttemptIsCounted() throws Exception {
        daemon.add(PluginJar.of("stubborn").source("""
                package deed;
                public class Deed implements Runnable {
                    public void run() {
                        for (int n = 0; n < 100; n++) {
                            try {
                                System.exit(n);
                            } catch (SecurityException refused) {
                                continue;
                            }
                        }
                    }
                }
                """).plugin(""));
        daemon.add(PluginJar.of("peaceful").plugin(""));
        daemon.load();
        PluginClassLoader peaceful = daemon.catalog().plugins().get(0).loader();
        PluginClassLoader stubborn = daemon.catalog().plugins().get(1).loader();

        runnable(stubborn, "deed.Deed").run();

        assertThat(stubborn.exitsStopped()).isEqualTo(100);
        assertThat(peaceful.exitsStopped()).isZero();
    }

    @Test
    void aPluginWhoseConstructorEndsTheProcessIsRejected() {
        daemon.add(PluginJar.of("killer").plugin("public Plugin() { System.exit(1); }"));

        assertThat(daemon.loadAndReject().cause())
                .contains("the constructor of plugins.killer.Plugin failed")
                .contains("plugin killer called System.exit(1): refused");
    }

    @Test
    void aMethodHandleAmongTheConstantsIsRefused() throws Exception {
        daemon.add(PluginJar.of("handy")
                .entry("deed/Constant.class", withConstantHandle())
                .plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();

        assertThatExceptionOfType(SecurityException.class)
                .isThrownBy(() -> runnable(loader, "deed.Constant").run())
                .withMessage("plugin handy called System.exit(11): refused");
    }

    @Test
    void aLibraryOfThePluginIsRefusedToo() {
        PluginJar library = PluginJar.library("cli")
                .source(
                        "package cli; public class Tool { public static void main(String... args) { System.exit(2); } }");
        Path home = directory.resolve("wrapping");
        library.write(home);
        PluginJar.of("wrapping")
                .with(library)
                .plugin("public Plugin() { cli.Tool.main(); }")
                .write(home);

        assertThat(daemon.loadAndReject().cause()).contains("plugin wrapping called System.exit(2): refused");
    }

    @Test
    void methodsOfTheSameNameElsewhereAreLeftAlone() throws Exception {
        daemon.add(PluginJar.of("namesake").source("""
                package deed;
                public class Deed implements Runnable {
                    static String left = "";
                    static void exit(int status) { left += "exit " + status; }
                    void halt(int status) { left += " halt " + status; }
                    public void run() {
                        exit(1);
                        halt(2);
                        Runtime.getRuntime().availableProcessors();
                        System.getProperty("user.name");
                        if (!left.equals("exit 1 halt 2")) throw new AssertionError(left);
                    }
                }
                """).plugin(""));
        PluginClassLoader loader = daemon.loadOne().loader();

        runnable(loader, "deed.Deed").run();

        assertThat(loader.exitsStopped()).isZero();
    }

    @Test
    void aClassThatEndsNothingStaysAsItIs() {
        PluginJar jar = PluginJar.of("quiet").plugin("static final Runtime MACHINE = Runtime.getRuntime();");
        byte[] classFile = jar.classes().get("plugins/quiet/Plugin.class");

        assertThat(ExitCallRewriter.refuse("plugins.quiet.Plugin", classFile)).isSameAs(classFile);
    }

    @Test
    void aRewrittenClassKeepsNothingThatEndsTheProcess() {
        Map<String, byte[]> classes = PluginJar.of("killer")
                .plugin("static void end() { System.exit(1); Runtime.getRuntime().halt(2); }")
                .classes();
        StringBuilder calls = new StringBuilder();

        byte[] rewritten = ExitCallRewriter.refuse("plugins.killer.Plugin", classes.get("plugins/killer/Plugin.class"));
        new ClassReader(rewritten).accept(new CallList(calls), 0);

        assertThat(calls)
                .contains("systemExit(I)V", "runtimeHalt(Ljava/lang/Runtime;I)V")
                .doesNotContain("System.exit");
    }

    @Test
    void aClassOfALaterJavaThanCanBeRewrittenIsRefusedByName() {
        byte[] classFile = PluginJar.of("killer")
                .plugin("static void end() { System.exit(1); }")
                .classes()
                .get("plugins/killer/Plugin.class")
                .clone();
        classFile[7] = 120;

        assertThatExceptionOfType(LinkageError.class)
                .isThrownBy(() -> ExitCallRewriter.refuse("plugins.killer.Plugin", classFile))
                .withMessageContaining("plugins.killer.Plugin")
                .withMessageContaining("cannot be rewritten")
                .withMessageContaining("120");
    }

    private static Runnable runnable(ClassLoader loader, String name) throws Exception {
        return (Runnable) loader.loadClass(name).getConstructor().newInstance();
    }

    /** {@code ldc} of a handle of System.exit, by itself and as the argument of a dynamic constant; javac writes neither. */
    private static byte[] withConstantHandle() {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, "deed/Constant", null, "java/lang/Object", new String[] {
            "java/lang/Runnable"
        });
        MethodVisitor constructor = writer.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        constructor.visitCode();
        constructor.visitVarInsn(Opcodes.ALOAD, 0);
        constructor.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        constructor.visitInsn(Opcodes.RETURN);
        constructor.visitMaxs(0, 0);
        constructor.visitEnd();
        Handle exit = new Handle(Opcodes.H_INVOKESTATIC, "java/lang/System", "exit", "(I)V", false);
        Handle invoke = new Handle(
                Opcodes.H_INVOKESTATIC,
                "java/lang/invoke/ConstantBootstraps",
                "invoke",
                "(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;"
                        + "Ljava/lang/invoke/MethodHandle;[Ljava/lang/Object;)Ljava/lang/Object;",
                false);
        Handle identity = new Handle(
                Opcodes.H_INVOKESTATIC,
                "java/util/Objects",
                "requireNonNull",
                "(Ljava/lang/Object;)Ljava/lang/Object;",
                false);
        MethodVisitor run = writer.visitMethod(Opcodes.ACC_PUBLIC, "run", "()V", null, null);
        run.visitCode();
        run.visitLdcInsn(exit);
        run.visitInsn(Opcodes.POP);
        run.visitLdcInsn(new ConstantDynamic("end", "Ljava/lang/Object;", invoke, identity, exit));
        run.visitTypeInsn(Opcodes.CHECKCAST, "java/lang/invoke/MethodHandle");
        run.visitIntInsn(Opcodes.BIPUSH, 11);
        run.visitMethodInsn(Opcodes.INVOKEVIRTUAL, "java/lang/invoke/MethodHandle", "invokeExact", "(I)V", false);
        run.visitInsn(Opcodes.RETURN);
        run.visitMaxs(0, 0);
        run.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static final class CallList extends org.objectweb.asm.ClassVisitor {
        private final StringBuilder calls;

        CallList(StringBuilder calls) {
            super(Opcodes.ASM9);
            this.calls = calls;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String method, String type, boolean isInterface) {
                    calls.append(owner).append('.').append(method).append(type).append('\n');
                }
            };
        }
    }
}
