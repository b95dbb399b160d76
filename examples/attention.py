"""One head of causal self-attention in PyTorch, and a squared error of what it predicts."""

import math

import torch
import torch.nn.functional as F


def attention(q, k, v):
    """Each position looks at itself and those before it."""
    n, d = q.shape
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)
    mask = torch.tril(torch.ones(n, n, dtype=torch.bool))
    scores = torch.where(mask, scores, float("-inf"))
    return F.softmax(scores, dim=-1) @ v


def loss(x, Wq, Wk, Wv, target):
    """x: (positions, features); the W are (features, width); target: (positions, width)."""
    out = attention(x @ Wq, x @ Wk, x @ Wv)
    return F.mse_loss(out, target)
