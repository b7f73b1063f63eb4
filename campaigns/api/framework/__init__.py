"""Common ground of the API's views: permissions, parsing, paging, problems, the OpenAPI description."""
