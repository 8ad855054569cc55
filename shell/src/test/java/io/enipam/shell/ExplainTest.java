package io.enipam.shell;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.enipam.v1.ExplainRequest;
import org.junit.jupiter.api.Test;

/** What explain does beside what its golden files hold. */
class ExplainTest extends AttachedShell {
    @Test
    void what_nobody_knows_says_where_it_was_looked_for_and_exits_with_1() {
        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain default/web-99");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out())
                .isEqualTo(
                        "database: 12 statements, none of it\n" + "cloud: did not answer: no answer within 5000 ms\n");
        assertThat(result.err())
                .isEqualTo("enipam: explain failed: nobody here knows 'default/web-99' (NOT_FOUND)."
                        + " Did you mean default/web-9?\n");
    }

    @Test
    void what_nobody_knows_is_a_document_for_programs_too() {
        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain nobody -o json");

        assertThat(result.status()).isEqualTo(1);
        assertThat(JsonParser.parseString(result.out()).getAsJsonObject().getAsJsonArray("things"))
                .isEmpty();
    }

    @Test
    void a_new_answer_of_the_cloud_is_asked_for_only_by_whoever_wants_it() {
        new TestShell(directory, directory).at(socket, "-c", "explain 10.0.1.7; explain 10.0.1.7 --anew");

        assertThat(daemon.received())
                .filteredOn(ExplainRequest.class::isInstance)
                .extracting(request -> ((ExplainRequest) request).getAnew())
                .containsExactly(false, true);
    }

    @Test
    void a_pods_name_does_not_reach_the_terminal_as_an_order() {
        TestShell.Result result = new TestShell(directory, directory).at(socket, "-c", "explain 10.0.1.8");

        assertThat(result.out()).doesNotContain("\u001b").contains("pod default/web-\uFFFD[2J2");
    }
}
