package io.enipam.node.kernel;

/** The kernel has to be changed and cannot be. */
public final class KernelUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    KernelUnavailableException(String why) {
        super("pods cannot be connected from here: " + why
                + "; set datapath.use to auto to start and wait until that is mended, or to off to connect none");
    }
}
