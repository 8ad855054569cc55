package io.enipam.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiagnosticTableTest {
    @Test
    void aRowMoreIsAnotherTable() {
        DiagnosticTable empty = DiagnosticTable.of("RANGE", "USED");
        DiagnosticTable one = empty.row("10.0.0.0/24", "17");
        assertThat(empty.rows()).isEmpty();
        assertThat(one.rows()).containsExactly(List.of("10.0.0.0/24", "17"));
    }

    @Test
    void everyRowIsAsLongAsTheHeading() {
        DiagnosticTable table = DiagnosticTable.of("RANGE", "USED");
        assertThatIllegalArgumentException().isThrownBy(() -> table.row("10.0.0.0/24"));
        assertThatIllegalArgumentException().isThrownBy(() -> table.row("10.0.0.0/24", "17", "?"));
        assertThatIllegalArgumentException().isThrownBy(table::row);
    }

    @Test
    void aTableHasAColumn() {
        assertThatIllegalArgumentException().isThrownBy(DiagnosticTable::of);
    }

    @Test
    void aCellIsNeverNull() {
        DiagnosticTable table = DiagnosticTable.of("RANGE");
        assertThatNullPointerException().isThrownBy(() -> table.row((String) null));
    }

    @Test
    void aTableDoesNotChangeWithTheListsItWasMadeOf() {
        List<String> row = new ArrayList<>(List.of("a"));
        List<List<String>> rows = new ArrayList<>(List.of(row));
        DiagnosticTable table = new DiagnosticTable(List.of("X"), rows);
        row.set(0, "b");
        rows.clear();
        assertThat(table.rows()).containsExactly(List.of("a"));
    }
}
