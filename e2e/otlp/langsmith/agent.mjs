// Run by langsmith.test.ts: agents of LangGraph that LangSmith's own SDK traces, by environment variables alone.
//   MODEL_URL=… LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=… LANGSMITH_API_KEY=… node e2e/otlp/langsmith/agent.mjs
// Prints one JSON object: run to the id of its trace.
import net from 'node:net'

const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  const { host = 'localhost' } = [args[0]].flat()[0]
  if (!['127.0.0.1', 'localhost', '::1'].includes(host)) throw new Error(`${host} is not this machine`)
  return connect.apply(this, args)
}

const { tool } = await import('@langchain/core/tools')
const { awaitAllCallbacks } = await import('@langchain/core/callbacks/promises')
const { createReactAgent } = await import('@langchain/langgraph/prebuilt')
const { ChatOpenAI } = await import('@langchain/openai')
const { Client } = await import('langsmith')
const { z } = await import('zod')

const { MODEL_URL } = process.env
const QUESTION = 'What is the weather in Bern?'
const ids = {}

const agent = (name, { execute = async () => 'sun', baseURL = MODEL_URL } = {}) => {
  const schema = z.object({ city: z.string() })
  const weather = tool(execute, { name: 'weather', description: 'The weather of a city', schema })
  const llm = new ChatOpenAI({
    model: 'gpt-5',
    apiKey: 'any',
    maxRetries: 0,
    configuration: { baseURL },
    streamUsage: true,
  })
  return createReactAgent({ llm, tools: [weather], prompt: 'Be brief.', name })
}
const config = (run, thread) => {
  ids[run] = crypto.randomUUID()
  const metadata = { thread_id: thread, user_id: 'user-7', plan: 'pro' }
  return { runId: ids[run], runName: run, tags: ['a', 'b'], metadata }
}
const input = { messages: [{ role: 'user', content: QUESTION }] }

await agent('forecast').invoke(input, config('whole', 'thread-7'))
for await (const _ of await agent('forecast').stream(input, {
  ...config('streamed', 'thread-8'),
  streamMode: 'messages',
}));
const broken = async () => {
  throw new RangeError('no such city')
}
await agent('forecast', { execute: broken }).invoke(input, config('tool', 'thread-7'))
await agent('forecast', { baseURL: 'http://127.0.0.1:1' })
  .invoke(input, config('model', 'thread-7'))
  .catch(() => undefined)

const client = new Client()
await awaitAllCallbacks()
await client.createFeedback(ids.whole, 'helpful', { score: 1, comment: 'yes' })
await client.createFeedback(ids.whole, 'mood', { value: 'glad', traceId: ids.whole })
const run = { id: crypto.randomUUID(), name: 'with a picture', run_type: 'chain', inputs: { question: QUESTION } }
const dotted = `${new Date().toISOString().replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${run.id}`
const attachments = { picture: ['image/png', new Uint8Array(Buffer.from(process.env.PICTURE, 'base64'))] }
await client.createRun({ ...run, trace_id: run.id, dotted_order: dotted, attachments })
await client.updateRun(run.id, {
  trace_id: run.id,
  dotted_order: dotted,
  end_time: Date.now(),
  outputs: { answer: 'sun' },
})
await client.awaitPendingTraceBatches()
console.log(JSON.stringify({ ...ids, picture: run.id }))
