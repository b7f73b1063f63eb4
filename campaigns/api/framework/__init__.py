"""What all views of the API share: permissions, parsing, paging, problems, the OpenAPI description."""
