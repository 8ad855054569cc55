package io.enipam.shell.fleet;

import io.enipam.shell.attach.ExitStatus;
import io.enipam.shell.attach.ShellException;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;

/** From what the client throws to what an operator reads: what was wanted, why it did not happen, what to do. */
record ClusterErrors(String server) {
    private static final int BAD_REQUEST = 400;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY = 429;

    /** @param verbs as {@code list}; of what, as {@code pods in namespace kube-system} */
    ShellException of(String verbs, String of, KubernetesClientException e) {
        String said = e.getStatus() == null || e.getStatus().getMessage() == null
                ? ""
                : ": " + e.getStatus().getMessage();
        return answered(e.getCode(), verbs, of, said, e);
    }

    /** An answer that has a status and perhaps a sentence, which begins with a colon. */
    private ShellException answered(int code, String verbs, String of, String said, Throwable e) {
        return switch (code) {
            case 0, -1 -> unreachable(e);
            case UNAUTHORIZED ->
                failed(
                        "UNAUTHORIZED",
                        "the API server " + server + " does not accept these credentials",
                        "Log in again, or name another way with --kubeconfig FILE or --context NAME",
                        e);
            case FORBIDDEN ->
                failed(
                        "FORBIDDEN",
                        "the API server does not let you " + verbs + " " + of + said,
                        "Ask for a role with the verb " + verbs.replace(" or ", ", ") + " on it",
                        e);
            case TOO_MANY ->
                failed(
                        "API_SERVER",
                        "the API server has too much to do (429)",
                        "Try again, or ask for less at once with --parallel",
                        e);
            default ->
                failed("API_SERVER", "the API server answered " + code + " to " + verbs + " " + of + said, "", e);
        };
    }

    /** A connection into a pod that was refused; only the status says why. */
    ShellException exec(DaemonPod pod, int code, Throwable e) {
        String there = "pod " + pod.namespace() + "/" + pod.name() + " on node " + pod.node();
        String look = "Look at it: kubectl -n " + pod.namespace() + " describe pod " + pod.name();
        return switch (code) {
            case NOT_FOUND -> failed("NO_DAEMON", there + " is gone", "Try again: it may be on its way back", e);
            case BAD_REQUEST ->
                failed("POD_NOT_RUNNING", "container " + pod.container() + " of " + there + " does not run", look, e);
            case FORBIDDEN ->
                failed(
                        "FORBIDDEN",
                        "the API server does not let you run the relay in " + there,
                        "Ask for a role with the verbs create and get on pods/exec in namespace " + pod.namespace(),
                        e);
            case 0, UNAUTHORIZED, TOO_MANY -> answered(code, "exec into", there, "", e);
            default ->
                failed(
                        "API_SERVER",
                        "the API server answered " + code + " to an exec into " + there,
                        "Does the kubelet of that node answer? " + look,
                        e);
        };
    }

    ShellException unreachable(Throwable e) {
        return failed(
                "API_SERVER",
                "the API server " + server + " cannot be reached: " + reason(e),
                "Is the network there, and is it the right cluster? See --kubeconfig and --context",
                e);
    }

    static ShellException failed(String code, String why, String hint) {
        return new ShellException(ExitStatus.NOT_ATTACHED, code, why, hint);
    }

    private static ShellException failed(String code, String why, String hint, Throwable e) {
        return new ShellException(ExitStatus.NOT_ATTACHED, code, why, hint, e);
    }

    /** What is at the bottom of it, in a few words; the JDK's client says of some failures nothing but their class. */
    static String reason(Throwable failure) {
        String said = "";
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
                return "its name is not known";
            }
            if (cause instanceof ConnectException && cause.getMessage() == null) {
                said = "connection refused";
            } else if (cause.getMessage() != null && !(cause instanceof KubernetesClientException)) {
                said = cause.getMessage();
            }
            cause = cause.getCause();
        }
        return said.isEmpty() ? failure.getClass().getSimpleName() : said;
    }
}
