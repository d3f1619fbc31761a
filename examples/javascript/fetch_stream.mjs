// Streams an answer with fetch alone: Node 18 or later, or a browser. No packages.
//
// usage: node fetch_stream.mjs QUESTION [URL]

const [question, url = "http://127.0.0.1:8000"] = process.argv.slice(2);
if (question === undefined) {
  console.error("usage: node fetch_stream.mjs QUESTION [URL]");
  process.exit(2);
}

// The data of each server-sent event. EventSource would do this for us, but it cannot POST.
async function* events(body) {
  let held = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    held += piece;
    const lines = held.split("\n");
    held = lines.pop(); // a line may end in the next piece
    for (const line of lines) {
      // Other lines are comments, which keep silent connections open, and the blank ones between events.
      if (line.startsWith("data: ")) yield line.slice("data: ".length);
    }
  }
}

const response = await fetch(`${url}/v1/chat/completions`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    model: "default",
    messages: [{ role: "user", content: question }],
    temperature: 0,
    max_tokens: 32,
    stream: true,
  }),
});
if (!response.ok) {
  // Refusals come with a status and OpenAI's error object.
  console.error(`fetch_stream.mjs: ${(await response.json()).error.message}`);
  process.exit(1);
}
for await (const data of events(response.body)) {
  if (data === "[DONE]") break;
  const message = JSON.parse(data);
  if (message.error) {
    // The status was sent long ago: an error in the middle of an answer is an event.
    console.error(`\nfetch_stream.mjs: ${message.error.message}`);
    process.exit(1);
  }
  for (const choice of message.choices) process.stdout.write(choice.delta.content ?? "");
}
process.stdout.write("\n");
