"""Documents on their way to the database: few of the large ones at once."""

from __future__ import annotations

from collections.abc import Iterator

from campaigns.collection.documents import COPY_BYTES, COPY_ROWS, copy_chunks


def test_chunks_are_small_whatever_the_documents() -> None:
    taken = []

    def rows() -> Iterator[tuple[str, str]]:
        for number in range(20):
            taken.append(number)
            yield (str(number), "x" * (3 << 20))

    for size, (chunk, count) in enumerate(copy_chunks(rows()), start=1):
        assert count == 2
        assert len(chunk.getvalue()) < COPY_BYTES + (3 << 20)
        assert len(taken) == 2 * size


def test_chunks_hold_many_small_rows_as_copy_reads_them() -> None:
    chunks = list(copy_chunks(("a\tb", "é\\\n") for _ in range(COPY_ROWS + 1)))
    assert [count for _, count in chunks] == [COPY_ROWS, 1]
    assert chunks[1][0].read() == "a\\tb\té\\\\\\n\n".encode()
