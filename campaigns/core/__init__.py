"""The ground of every room: transactions, locks, queued work, errors, actors. No rules of the domain."""
