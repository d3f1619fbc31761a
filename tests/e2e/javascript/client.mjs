// OpenAI's client, unchanged, finds out the named facts about a server and prints them as one JSON object.
// usage: node client.mjs URL KEY FACT...       test_javascript_client.py says what they must be
import OpenAI from "openai";

const [url, key, ...names] = process.argv.slice(2);
const settings = { baseURL: `${url}/v1`, maxRetries: 0, timeout: 60_000 };
const client = new OpenAI({ ...settings, apiKey: key });

const messages = [{ role: "user", content: "What is the capital of France?" }];
const chat = { model: "default", messages, max_tokens: 24, temperature: 0 };
const completion = { model: "default", prompt: "The sun rises in the", max_tokens: 8, temperature: 0 };
const ask = { model: "default", instructions: "Be brief.", input: "Say hello.", max_output_tokens: 12, temperature: 0 };
const parameters = { type: "object", properties: { city: { type: "string" } } };
const weather = { name: "get_weather", description: "Weather of a city", parameters };

// Only a reader that leaves ends this one within the time of a test.
const endless = { model: "default", prompt: "Tell me a story", max_tokens: 4000, ignore_eos: true };

const tool = { type: "function", function: weather };
const flatTool = { type: "function", strict: false, ...weather };

const called = [];
const getWeather = { ...weather, parse: JSON.parse, function: (given) => (called.push(given), "Sunny.") };
const calling = { model: "default", messages, tools: [{ type: "function", function: getWeather }], max_tokens: 80,
  temperature: 0, stop: ["###"] };

async function all(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const inStream = { stream: true, stream_options: { include_usage: true } };

const facts = {
  chat: () => client.chat.completions.create(chat),
  chatStream: async () => all(await client.chat.completions.create({ ...chat, ...inStream })),
  chatHelper: () => client.chat.completions.stream(chat).finalContent(),
  chatWithTools: () => client.chat.completions.create({ ...chat, tools: [tool] }),
  completion: () => client.completions.create(completion),
  completionStream: async () => all(await client.completions.create({ ...completion, ...inStream })),
  embedding: () => client.embeddings.create({ model: "default", input: ["One", "Two"] }), // asks for base64, decodes it
  embeddingFloat: () => client.embeddings.create({ model: "default", input: ["One", "Two"], encoding_format: "float" }),
  models: () => all(client.models.list()),
  model: async () => client.models.retrieve((await client.models.list()).data[0].id),
  response: () => client.responses.create(ask),
  responseStream: async () => all(await client.responses.create({ ...ask, stream: true })),
  responseHelper: () => client.responses.stream(ask).finalResponse(),
  responseWithTools: () => client.responses.create({ ...ask, tools: [flatTool] }),
  badRequest: () => client.chat.completions.create({ ...chat, temperature: -1 }),
  badStream: () => client.chat.completions.create({ ...chat, temperature: -1, stream: true }),
  notFound: () => client.chat.completions.create({ ...chat, model: "no-such-model" }),
  modelNotFound: () => client.models.retrieve("other/model"),
  wrongKey: () => new OpenAI({ ...settings, apiKey: "wrong" }).models.list(),

  // The client runs the function and asks again with its result, as long as the model calls.
  toolLoop: () => toolLoop(client.chat.completions.runTools(calling)),
  toolLoopStream: () => toolLoop(client.chat.completions.runTools({ ...calling, stream: true })),

  async abortedStream() {
    const controller = new AbortController();
    let read = 0;
    const stream = await client.completions.create({ ...endless, stream: true }, { signal: controller.signal });
    for await (const part of stream) if ((read += part.choices.length) === 3) controller.abort();
    return { read, ended: await runningBecomes(0) };
  },
  async abortedWhole() {
    const controller = new AbortController();
    const answer = outcome(() => client.completions.create(endless, { signal: controller.signal }));
    const started = await runningBecomes(1);
    controller.abort();
    return { started, ...(await answer), ended: await runningBecomes(0) };
  },
};

// Asked while this process lives: its end would close the connections and so end the requests anyway.
async function runningBecomes(count) {
  const headers = { Authorization: `Bearer ${key}` };
  for (const start = Date.now(); Date.now() - start < 10_000; ) {
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    if (text.includes(`\nneap:num_requests_running ${count}\n`)) return true;
  }
  return false;
}

async function toolLoop(runner) {
  called.length = 0;
  const text = await runner.finalContent();
  return { text, called, roles: runner.messages.map((message) => message.role) };
}

// Plain data of an answer or of an error; the class of an error is what programs catch.
async function outcome(fact) {
  try {
    return await fact();
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    const { message, status, code, param } = error;
    return { thrown: error.constructor.name, message, status, code, param };
  }
}

const found = {};
for (const name of names) found[name] = await outcome(facts[name]);
console.log(JSON.stringify(found));
