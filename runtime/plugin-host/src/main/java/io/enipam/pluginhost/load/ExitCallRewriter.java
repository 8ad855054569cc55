package io.enipam.pluginhost.load;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Turns every call that would end the process into one of {@link RefusedExits}: direct calls, method references, and
 * method handles among the constants of a class.
 */
final class ExitCallRewriter {
    private static final String REFUSED = Type.getInternalName(RefusedExits.class);
    private static final List<ExitMethod> ENDINGS = List.of(
            new ExitMethod("java/lang/System", "exit", "systemExit", "(I)V"),
            new ExitMethod("java/lang/Runtime", "exit", "runtimeExit", "(Ljava/lang/Runtime;I)V"),
            new ExitMethod("java/lang/Runtime", "halt", "runtimeHalt", "(Ljava/lang/Runtime;I)V"));

    private ExitCallRewriter() {}

    /**
     * The same class without such calls.
     *
     * @throws LinkageError if it may have such calls and cannot be read; the JVM reads some class files, later or broken,
     *     that this does not
     */
    static byte[] refuse(String className, byte[] classFile) {
        if (!mayEndTheProcess(classFile)) {
            return classFile;
        }
        try {
            ClassReader reader = new ClassReader(classFile);
            ClassWriter writer = new ClassWriter(reader, 0);
            reader.accept(
                    new ClassVisitor(Opcodes.ASM9, writer) {
                        @Override
                        public MethodVisitor visitMethod(
                                int access, String name, String descriptor, String signature, String[] exceptions) {
                            return new RewritingMethod(
                                    super.visitMethod(access, name, descriptor, signature, exceptions));
                        }
                    },
                    0);
            return writer.toByteArray();
        } catch (RuntimeException e) { // whatever a class file that is not well-formed leads to
            throw new LinkageError(
                    "class " + className + " seems to call System.exit, and cannot be rewritten: " + OneLine.of(e), e);
        }
    }

    /**
     * Whether the names are among the constants. A constant of type Utf8 is a 1, its length in two bytes, and its bytes (The
     * Java Virtual Machine Specification, section 4.4.7).
     */
    private static boolean mayEndTheProcess(byte[] classFile) {
        String constants = new String(classFile, StandardCharsets.ISO_8859_1);
        return ENDINGS.stream()
                .anyMatch(ending ->
                        constants.contains(utf8(ending.method())) && constants.contains(utf8(ending.owner())));
    }

    private static String utf8(String ascii) {
        return "\u0001\u0000" + (char) ascii.length() + ascii;
    }

    /** A method that ends the process, and the one that is called instead, with the receiver as its first argument. */
    private record ExitMethod(String owner, String method, String instead, String descriptor) {
        static Optional<ExitMethod> of(String owner, String method) {
            return ENDINGS.stream()
                    .filter(ending ->
                            ending.owner().equals(owner) && ending.method().equals(method))
                    .findFirst();
        }
    }

    private static final class RewritingMethod extends MethodVisitor {
        RewritingMethod(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            Optional<ExitMethod> ending = ExitMethod.of(owner, name);
            if (ending.isPresent()) {
                super.visitMethodInsn(
                        Opcodes.INVOKESTATIC,
                        REFUSED,
                        ending.get().instead(),
                        ending.get().descriptor(),
                        false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            super.visitInvokeDynamicInsn(name, descriptor, harmless(bootstrap), harmless(arguments));
        }

        @Override
        public void visitLdcInsn(Object value) {
            super.visitLdcInsn(harmless(value));
        }

        private static Object[] harmless(Object[] constants) {
            return Stream.of(constants).map(RewritingMethod::harmless).toArray();
        }

        private static Object harmless(Object constant) {
            if (constant instanceof Handle handle) {
                return harmless(handle);
            }
            if (constant instanceof ConstantDynamic dynamic) {
                Object[] arguments = IntStream.range(0, dynamic.getBootstrapMethodArgumentCount())
                        .mapToObj(i -> harmless(dynamic.getBootstrapMethodArgument(i)))
                        .toArray();
                return new ConstantDynamic(
                        dynamic.getName(), dynamic.getDescriptor(), harmless(dynamic.getBootstrapMethod()), arguments);
            }
            return constant;
        }

        private static Handle harmless(Handle handle) {
            return ExitMethod.of(handle.getOwner(), handle.getName())
                    .map(ending ->
                            new Handle(Opcodes.H_INVOKESTATIC, REFUSED, ending.instead(), ending.descriptor(), false))
                    .orElse(handle);
        }
    }
}
