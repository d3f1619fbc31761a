"""Asks several questions at once over one WebSocket. Their tokens arrive interleaved; ids tell them apart.

usage: websocket_json.py [--url ws://127.0.0.1:8000] QUESTION...
needs: pip install websockets
"""

import argparse
import asyncio
import json

import websockets

parser = argparse.ArgumentParser()
parser.add_argument("--url", default="ws://127.0.0.1:8000")
parser.add_argument("question", nargs="+")
options = parser.parse_args()


async def main():
    answers = {str(number): "" for number in range(len(options.question))}
    waiting = set(answers)
    async with websockets.connect(options.url + "/v1/ws", subprotocols=["neap.v1.json"]) as socket:
        for id, question in zip(answers, options.question):
            messages = [{"role": "user", "content": question}]
            body = {"messages": messages, "temperature": 0, "max_tokens": 32, "stream": True}
            # With credits the server stops after so many tokens until we grant more: a client that is slow to show
            # text is not flooded with it.
            await socket.send(json.dumps({"type": "request", "id": id, "endpoint": "chat", "body": body, "credits": 8}))
        while waiting:
            message = json.loads(await socket.recv())
            if message["type"] == "event":
                for choice in message["data"]["choices"]:
                    answers[message["id"]] += choice["delta"].get("content") or ""
                await socket.send(json.dumps({"type": "credit", "id": message["id"], "tokens": message["tokens"]}))
            elif message["type"] == "error":
                raise SystemExit(f"websocket_json.py: {message['error']['message']}")
            elif message["type"] == "done":
                waiting.remove(message["id"])
    for text in answers.values():
        print(text)


asyncio.run(main())
