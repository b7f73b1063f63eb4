"""The worker's side of the live computation: arrays from rows, kernels, queues and scores back into rows."""
