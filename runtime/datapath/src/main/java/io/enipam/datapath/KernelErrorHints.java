package io.enipam.datapath;

/** What to do about what the kernel said. */
final class KernelErrorHints {
    private KernelErrorHints() {}

    static String of(String answer) {
        if (answer.contains("netns") || answer.contains("reassociate")) {
            return "the pod's network namespace is gone: the container runtime ends this sandbox and makes another";
        }
        if (answer.contains("Operation not permitted")) {
            return "run the daemon as root with CAP_NET_ADMIN and CAP_SYS_ADMIN (privileged: true)";
        }
        if (answer.contains("Read-only file system")) {
            return "give the daemon a writable /proc/sys (privileged: true)";
        }
        if (answer.contains("Cannot find device") || answer.contains("No such device")) {
            return "a link went away meanwhile: see 'ip link', and 'enipam eni list' for ENIs that were detached";
        }
        if (answer.contains("Unknown device type") || answer.contains("not supported")) {
            return "the kernel lacks a module: see 'modprobe -n veth sch_tbf ipvlan'";
        }
        if (answer.contains("was killed")) {
            return "the kernel is slow or stuck: see 'dmesg' and the load of the node";
        }
        return "run 'enipam doctor' on the node";
    }
}
