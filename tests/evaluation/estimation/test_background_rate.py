import numpy as np
import pytest

from evaluation.estimation.points import background_rate


def documents(rates: dict[int, float], each: int = 100) -> tuple[np.ndarray, np.ndarray]:
    requests = np.repeat(list(rates), each)
    gains = np.concatenate([np.arange(each) < round(rate * each) for rate in rates.values()]).astype(float)
    return requests, gains


def test_a_cubic_is_found_again() -> None:
    def cubic(n: float) -> float:
        return 0.04 + 0.05 * n - 0.005 * n**2 + 0.001 * n**3

    found = background_rate(*documents({n: cubic(n) for n in (1, 2, 3, 5, 8)}, each=1000))
    assert found.coefficients == pytest.approx([0.04, 0.05, -0.005, 0.001], abs=1e-9)
    assert found.value == found.crossing == pytest.approx(0.04)
    assert found.fitted(np.array([4])) == pytest.approx([cubic(4)])


def test_unjudged_documents_do_not_count_and_any_gain_is_relevant() -> None:
    requests, gains = documents({1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4})
    more = background_rate(np.r_[requests, [1, 9]], np.r_[gains / 2, [np.nan, np.nan]])
    assert more.requests.tolist() == [1, 2, 3, 4]
    assert more.documents.tolist() == [100] * 4
    assert more.rate == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_a_crossing_below_nothing_gives_way_to_the_least_requested_documents() -> None:
    found = background_rate(*documents({4: 0.0, 5: 0.2, 6: 0.4, 7: 0.6}))
    assert found.crossing == pytest.approx(-0.8)
    # 20 relevant documents among the 200 with the fewest requests: those with 4 have none.
    assert found.value == found.floor == pytest.approx(0.1)


def test_the_rate_is_nothing_only_if_nothing_is_relevant() -> None:
    assert background_rate(*documents(dict.fromkeys(range(1, 6), 0.0))).value == 0.0
    rng = np.random.default_rng(4)
    for _ in range(200):
        requests = rng.integers(1, 9, size=200)
        gains = (rng.random(200) < 0.01 * requests).astype(float)
        assert (background_rate(requests, gains).value > 0) == gains.any()


def test_a_crossing_that_no_judged_document_bears_out_is_not_taken() -> None:
    """Rates on a line through the origin: what rounding leaves of the crossing is no rate."""
    found = background_rate(*documents({1: 0.2, 2: 0.4, 3: 0.6, 4: 0.8, 5: 1.0}))
    assert found.crossing == pytest.approx(0, abs=1e-9)
    assert found.value == pytest.approx(0.2)


def test_each_rate_weighs_as_many_documents_as_it_is_of() -> None:
    """The normal equations by hand, with one line for each document."""
    rng = np.random.default_rng(9)
    requests = np.repeat([1, 2, 3, 5, 8, 13], [900, 400, 90, 40, 5, 2])
    gains = (rng.random(len(requests)) < 0.03 * requests).astype(float)
    expected = np.linalg.lstsq(np.vander(requests, 4, increasing=True).astype(float), gains, rcond=None)[0]
    found = background_rate(requests, gains)
    assert found.coefficients == pytest.approx(expected, abs=1e-9)
    # With equal weights, one line for each number of requests.
    lines = np.vander(found.requests, 4, increasing=True).astype(float)
    assert found.unweighted_crossing == pytest.approx(np.linalg.lstsq(lines, found.rate, rcond=None)[0][0])
    assert abs(found.unweighted_crossing - found.crossing) > 0.01


def test_arguments_that_cannot_be() -> None:
    requests, gains = documents({1: 0.1, 2: 0.2, 3: 0.3})
    with pytest.raises(ValueError, match="3 different numbers"):
        background_rate(requests, gains)
    with pytest.raises(ValueError, match="0 requests"):
        background_rate(requests - 1, gains)
    with pytest.raises(ValueError, match="shape"):
        background_rate(requests[1:], gains)
