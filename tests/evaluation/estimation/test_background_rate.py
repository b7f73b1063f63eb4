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


def test_a_crossing_below_nothing_is_a_rate_of_nothing() -> None:
    found = background_rate(*documents({4: 0.0, 5: 0.2, 6: 0.4, 7: 0.6}))
    assert found.crossing == pytest.approx(-0.8)
    assert found.value == 0.0


def test_arguments_that_cannot_be() -> None:
    requests, gains = documents({1: 0.1, 2: 0.2, 3: 0.3})
    with pytest.raises(ValueError, match="3 different numbers"):
        background_rate(requests, gains)
    with pytest.raises(ValueError, match="0 requests"):
        background_rate(requests - 1, gains)
    with pytest.raises(ValueError, match="shape"):
        background_rate(requests[1:], gains)
