"""The WebSocket with Protobuf frames: smaller, and typed on both sides. protoc makes the Python module at run time.

usage: websocket_protobuf.py [--url ws://127.0.0.1:8000] [--proto websocket.proto] QUESTION
needs: pip install websockets protobuf, and protoc of the same release line (Debian 12: protobuf-compiler and
       protobuf==4.21.12). An installed Neap has the schema in share/neap/.
"""

import argparse
import asyncio
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

import websockets

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "messages" / "proto" / "websocket.proto"

parser = argparse.ArgumentParser()
parser.add_argument("--url", default="ws://127.0.0.1:8000")
parser.add_argument("--proto", type=pathlib.Path, default=SCHEMA)
parser.add_argument("question")
options = parser.parse_args()


def load_schema(proto):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={proto.parent}", f"--python_out={folder}", proto.name], check=True)
        sys.path.insert(0, folder)
        return importlib.import_module(proto.stem + "_pb2")


async def main():
    schema = load_schema(options.proto)
    # What a request asks for stays JSON, as on the HTTP routes; the frame around it is Protobuf.
    messages = [{"role": "user", "content": options.question}]
    body = json.dumps({"messages": messages, "temperature": 0, "max_tokens": 32, "stream": True})
    request = schema.Request(id="1", endpoint=schema.ENDPOINT_CHAT, body=body.encode())
    async with websockets.connect(options.url + "/v1/ws", subprotocols=["neap.v1.proto"]) as socket:
        await socket.send(schema.ClientMessage(request=request).SerializeToString())
        while True:
            message = schema.ServerMessage.FromString(await socket.recv())
            kind = message.WhichOneof("kind")
            if kind == "event":
                for choice in json.loads(message.event.data)["choices"]:
                    print(choice["delta"].get("content") or "", end="", flush=True)
            elif kind == "error":
                raise SystemExit(f"websocket_protobuf.py: {message.error.problem.message}")
            elif kind == "done":
                print()
                return


asyncio.run(main())
