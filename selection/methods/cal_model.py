"""The classifier of continuous active learning: how likely each document of a collection is relevant."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, vstack
from scipy.special import expit

from evaluation.arrays import BoolArray, FloatArray, IntArray
from selection.framework.texts import Texts

# What the authors' program has: C of a model trained on k texts is 1 / (k times this).
REGULARIZATION = 1e-4


def relevance_chances(texts: Texts, topic: int, relevant: IntArray, nonrelevant: IntArray) -> FloatArray:
    """How likely each document is relevant, by a logistic model of its terms.

    Parameters
    ----------
    texts : Texts
    topic : int
        Row of `texts.topics`, which is trained on as a relevant document.
    relevant, nonrelevant : ndarray of int
        Rows of `texts.vectors`. Both classes count the same, however many documents they have.

    Returns
    -------
    ndarray of float64, shape (n + 1,)
        In (0, 1), one for each document; the last is that of a document without text. All 0.5 if no
        document is not relevant.

    Examples
    --------
    >>> words = csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> texts = Texts(np.array([3, 4, 7], dtype=np.int32), words, csr_array(np.array([[2.0, 0.0]])))
    >>> chances = relevance_chances(texts, 0, np.array([], dtype=int), np.array([1]))
    >>> bool(chances[0] > chances[2] > chances[1])
    True
    """
    if not len(nonrelevant):
        return np.full(len(texts.documents) + 1, 0.5)
    rows = np.concatenate([relevant, nonrelevant])
    examples = csr_array(vstack([texts.topics[[topic]], texts.vectors[rows]]))
    terms, intercept = _trained(examples, np.arange(len(rows) + 1) <= len(relevant))
    # Of the same kind as the vectors: the product would copy them otherwise.
    scores = texts.vectors @ terms.astype(texts.vectors.dtype)
    return np.asarray(expit(np.append(scores.astype(np.float64), 0.0) + intercept))


def _trained(examples: csr_array, relevant: BoolArray) -> tuple[FloatArray, float]:
    """Coefficients (terms,) and the intercept."""
    # It takes seconds to import, and most campaigns never need it.
    from sklearn.linear_model import LogisticRegression

    # Terms that no example has would only make it slower: their coefficients are 0.
    used, column = np.unique(examples.indices, return_inverse=True)
    parts = examples.data, column.astype(np.int32), examples.indptr.astype(np.int32)
    narrow = csr_array(parts, shape=(examples.shape[0], len(used)))
    strength = 1 / (REGULARIZATION * examples.shape[0])
    model = LogisticRegression(C=strength, class_weight="balanced", solver="liblinear", max_iter=1000)
    model.fit(narrow, relevant)
    terms = np.zeros(examples.shape[1])
    terms[used] = model.coef_[0]
    return terms, float(model.intercept_[0])
