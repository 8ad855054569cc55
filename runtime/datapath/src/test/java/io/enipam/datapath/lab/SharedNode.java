package io.enipam.datapath.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a class that share one node: each of them leaves it as it was. */
public abstract class SharedNode {
    @TempDir
    protected static Path records;

    protected static Lab lab;

    /** What the node was like. */
    protected String before;

    @BeforeAll
    static void build() {
        lab = new Lab(records);
    }

    @AfterAll
    static void remove() {
        if (lab != null) {
            lab.close();
            lab = null;
        }
    }

    @BeforeEach
    void look() {
        before = Lab.everything();
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(Lab.everything()).isEqualTo(before);
    }
}
