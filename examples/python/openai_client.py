"""Streams an answer with OpenAI's own client: Neap speaks its protocol, so only the address is ours.

usage: openai_client.py [--url http://127.0.0.1:8000] QUESTION
needs: pip install openai
"""

import argparse

import openai

parser = argparse.ArgumentParser()
parser.add_argument("--url", default="http://127.0.0.1:8000")
parser.add_argument("--key", default="unused", help="needed if the server has --api-key")
parser.add_argument("question")
options = parser.parse_args()

client = openai.OpenAI(base_url=options.url + "/v1", api_key=options.key)
stream = client.chat.completions.create(
    model="default",  # whatever the server has loaded
    messages=[{"role": "user", "content": options.question}],
    temperature=0,
    max_tokens=32,
    stream=True,
    # Fields that OpenAI's API does not have go into extra_body. This one overtakes requests of the standard tier.
    extra_body={"service_tier": "vip"},
)
for chunk in stream:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)
print()
