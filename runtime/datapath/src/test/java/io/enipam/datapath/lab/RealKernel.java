package io.enipam.datapath.lab;

import io.enipam.datapath.KernelDatapath;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A test that changes the kernel: it runs in a network namespace of this process's own, else it is skipped and says why. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RealKernel.Condition.class)
@Tag("kernel")
public @interface RealKernel {
    /** Looks whether it can. */
    final class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (!"own".equals(System.getenv("ENIPAM_LAB"))) {
                return ConditionEvaluationResult.disabled(
                        "not in a network namespace of its own: needs root, and the launcher src/test/lab/bin/java");
            }
            if (Sh.tried("command -v ping").status() != 0) {
                return ConditionEvaluationResult.disabled("there is no ping here: apt-get install iputils-ping");
            }
            Optional<String> obstacle = KernelDatapath.unavailableReason();
            return obstacle.isPresent()
                    ? ConditionEvaluationResult.disabled(obstacle.get())
                    : ConditionEvaluationResult.enabled("root in a network namespace of its own");
        }
    }
}
