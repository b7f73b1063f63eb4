"""Shapes of the API's requests and responses, described once for programs and people: `In` shapes are read
strictly, `Query` shapes are the parameters of an address, the others describe responses. Each may carry an
example; the description of the whole API is made of them (campaigns/api/framework/openapi.py)."""
