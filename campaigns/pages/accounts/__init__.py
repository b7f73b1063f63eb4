"""The pages of accounts: signing in, one's own account and tokens, and the administrators' pages."""
