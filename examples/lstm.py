"""An LSTM that reads a short sequence and predicts one number, in PyTorch."""

import torch
import torch.nn.functional as F


def lstm_step(x, h, c, W, U, b):
    """One step: input, forget, cell and output gate, in PyTorch's order."""
    i, f, g, o = (W @ x + U @ h + b).view(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h, c


def loss(W, U, b, v, xs, target):
    """W: (4*hidden, features); U: (4*hidden, hidden); b: (4*hidden,); v: (hidden,); xs: (steps, features)."""
    hidden = U.shape[1]
    h = torch.zeros(hidden, dtype=xs.dtype)
    c = torch.zeros_like(h)
    for x in xs:
        h, c = lstm_step(x, h, c, W, U, b)
    prediction = torch.dot(v, h)
    return F.smooth_l1_loss(prediction, target)
