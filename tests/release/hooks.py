"""How schemathesis asks and judges. It imports this file because check_description.py names it."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Narrows some fields of requests, where most random values would end at a refusal before the rest is read."""
    schemas = raw_schema["components"]["schemas"]
    for name in ("ChatRequest", "CompletionRequest", "ResponseRequest"):
        fields = schemas[name]["properties"]
        fields["model"] = {"enum": ["default", None]}
        fields["deadline_ms"]["minimum"] = 60_000
        fields["stream"] = {"type": "boolean"}
        schemas[name]["required"].append("stream")  # else one request in a hundred is a stream
    for name in ("EmbeddingRequest", "TokenizeRequest", "DetokenizeRequest"):
        schemas[name]["properties"]["model"] = {"enum": ["default", None]}
    schemas["CompletionRequest"]["properties"]["max_tokens"]["minimum"] = 1  # 0 needs `echo`
    schemas["Message"]["required"].append("content")  # only an assistant's calls need none
    content = schemas["Message"]["properties"]["content"]
    content["oneOf"] = [form for form in content["oneOf"] if form["type"] != "null"]


@schemathesis.check
def no_server_error(context, response, case):
    """RFC 9110 asks for one status above 500: 501 for a method that is unknown everywhere."""
    unknown_method = response.status_code == 501 and response.json()["error"]["code"] == "method_not_allowed"
    assert response.status_code < 500 or unknown_method, f"status {response.status_code}: {response.text}"
