package io.enipam.daemon.plugin.load;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Turns calls that end the JVM into calls of a stand-in that throws {@link SecurityException}. Method references to them count
 * as calls. The stand-in is a class that each plugin's loader defines for itself.
 */
final class ExitRewriter {
    static final String HELPER_NAME = "io.enipam.stopped.JvmExit";
    static final String COUNTER_FIELD = "counter";
    static final String PLUGIN_FIELD = "plugin";

    private static final String HELPER = HELPER_NAME.replace('.', '/');
    private static final String SYSTEM = "java/lang/System";
    private static final String RUNTIME = "java/lang/Runtime";
    private static final String OF_SYSTEM = "(I)V";
    private static final String OF_RUNTIME = "(Ljava/lang/Runtime;I)V";

    private ExitRewriter() {}

    /** Whether a class may call what ends the JVM: a cheap look that may err on the safe side. */
    static boolean mentionsExit(byte[] classFile) {
        return contains(classFile, "exit") && contains(classFile, SYSTEM)
                || contains(classFile, RUNTIME) && (contains(classFile, "exit") || contains(classFile, "halt"));
    }

    private static boolean contains(byte[] where, String what) {
        byte[] word = what.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i <= where.length - word.length; i++) {
            if (where[i] == word[0] && Arrays.equals(where, i, i + word.length, word, 0, word.length)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The class with its calls replaced.
     *
     * @throws IllegalArgumentException if this is no class file, or one newer than the reader knows
     */
    static byte[] rewrite(byte[] classFile) {
        ClassReader reader = new ClassReader(classFile);
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(
                            int access, String name, String descriptor, String signature, String[] exceptions) {
                        return new CallRewriter(super.visitMethod(access, name, descriptor, signature, exceptions));
                    }
                },
                0);
        return writer.toByteArray();
    }

    private static boolean ends(String owner, String name, String descriptor) {
        return descriptor.equals(OF_SYSTEM)
                && (owner.equals(SYSTEM) && name.equals("exit")
                        || owner.equals(RUNTIME) && (name.equals("exit") || name.equals("halt")));
    }

    private static String standInDescriptor(String owner) {
        return owner.equals(SYSTEM) ? OF_SYSTEM : OF_RUNTIME;
    }

    private static final class CallRewriter extends MethodVisitor {
        CallRewriter(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (ends(owner, name, descriptor)) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HELPER, name, standInDescriptor(owner), false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
            super.visitInvokeDynamicInsn(
                    name,
                    descriptor,
                    bootstrap,
                    Arrays.stream(arguments).map(CallRewriter::constant).toArray());
        }

        @Override
        public void visitLdcInsn(Object value) {
            super.visitLdcInsn(constant(value));
        }

        private static Object constant(Object value) {
            if (value instanceof Handle handle && ends(handle.getOwner(), handle.getName(), handle.getDesc())) {
                return new Handle(
                        Opcodes.H_INVOKESTATIC, HELPER, handle.getName(), standInDescriptor(handle.getOwner()), false);
            }
            if (value instanceof ConstantDynamic dynamic) {
                Object[] arguments = new Object[dynamic.getBootstrapMethodArgumentCount()];
                for (int i = 0; i < arguments.length; i++) {
                    arguments[i] = constant(dynamic.getBootstrapMethodArgument(i));
                }
                return new ConstantDynamic(
                        dynamic.getName(), dynamic.getDescriptor(), dynamic.getBootstrapMethod(), arguments);
            }
            return value;
        }
    }

    /**
     * The stand-in: static methods {@code exit(int)}, {@code exit(Runtime, int)} and {@code halt(Runtime, int)} that count and
     * throw, and two public static fields to set it up with.
     */
    static byte[] helper() {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES | ClassWriter.COMPUTE_MAXS);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL, HELPER, null, "java/lang/Object", null);
        int field = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_VOLATILE;
        writer.visitField(field, COUNTER_FIELD, "Ljava/lang/Runnable;", null, null);
        writer.visitField(field, PLUGIN_FIELD, "Ljava/lang/String;", null, null);
        method(writer, "exit", OF_SYSTEM, "System.exit");
        method(writer, "exit", OF_RUNTIME, "Runtime.exit");
        method(writer, "halt", OF_RUNTIME, "Runtime.halt");
        writer.visitEnd();
        return writer.toByteArray();
    }

    private static void method(ClassWriter writer, String name, String descriptor, String shown) {
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, name, descriptor, null, null);
        code.visitCode();
        Label uncounted = new Label();
        code.visitFieldInsn(Opcodes.GETSTATIC, HELPER, COUNTER_FIELD, "Ljava/lang/Runnable;");
        code.visitJumpInsn(Opcodes.IFNULL, uncounted);
        code.visitFieldInsn(Opcodes.GETSTATIC, HELPER, COUNTER_FIELD, "Ljava/lang/Runnable;");
        code.visitMethodInsn(Opcodes.INVOKEINTERFACE, "java/lang/Runnable", "run", "()V", true);
        code.visitLabel(uncounted);
        String exception = Type.getInternalName(SecurityException.class);
        code.visitTypeInsn(Opcodes.NEW, exception);
        code.visitInsn(Opcodes.DUP);
        code.visitLdcInsn("plugin ");
        code.visitFieldInsn(Opcodes.GETSTATIC, HELPER, PLUGIN_FIELD, "Ljava/lang/String;");
        code.visitMethodInsn(
                Opcodes.INVOKESTATIC, "java/lang/String", "valueOf", "(Ljava/lang/Object;)Ljava/lang/String;", false);
        code.visitMethodInsn(
                Opcodes.INVOKEVIRTUAL, "java/lang/String", "concat", "(Ljava/lang/String;)Ljava/lang/String;", false);
        code.visitLdcInsn(" called " + shown + ", which a plugin may not");
        code.visitMethodInsn(
                Opcodes.INVOKEVIRTUAL, "java/lang/String", "concat", "(Ljava/lang/String;)Ljava/lang/String;", false);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, exception, "<init>", "(Ljava/lang/String;)V", false);
        code.visitInsn(Opcodes.ATHROW);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }
}
