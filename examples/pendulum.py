"""A damped pendulum, solved by the classical Runge-Kutta method, and how far it ends from a measured angle."""

import numpy as np


def pendulum(t, y, length, damping):
    """The derivatives of angle and angular velocity."""
    angle, velocity = y
    return np.array([velocity, -9.81 / length * np.sin(angle) - damping * velocity])


def rk4_step(f, t, y, dt, *args):
    """One step of size dt of y' = f(t, y)."""
    k1 = f(t, y, *args)
    k2 = f(t + dt / 2, y + dt / 2 * k1, *args)
    k3 = f(t + dt / 2, y + dt / 2 * k2, *args)
    k4 = f(t + dt, y + dt * k3, *args)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def solve(f, y0, t_end, steps, *args):
    """All states, from y0 at time 0 to the one at t_end."""
    dt = t_end / steps
    ys = [y0]
    for i in range(steps):
        ys.append(rk4_step(f, i * dt, ys[-1], dt, *args))
    return np.array(ys)


def loss(length, damping, y0, measured):
    """The sum of squared errors of the angles at ten times in a second."""
    angles = solve(pendulum, y0, 1.0, 10, length, damping)[1:, 0]
    return np.sum((angles - measured) ** 2)
