// Run by langfuse.test.ts: an agent that version 3 of Langfuse's SDK traces by its own API.
//   MODEL_URL=… LANGFUSE_BASEURL=… LANGFUSE_SECRET_KEY=… LANGFUSE_PUBLIC_KEY=any node e2e/otlp/agents/langfuse.mjs
// Prints one JSON object: run to the id of its trace.
import { Langfuse, observeOpenAI } from 'langfuse'
import OpenAI from 'openai'
import { MODEL_URL, QUESTION, SYSTEM } from './question.mjs'

const langfuse = new Langfuse({ environment: 'staging', flushAt: 3 })
const ids = {}

async function run(name, { stream = false, execute = () => 'sun', baseURL = MODEL_URL } = {}) {
  const facts = { sessionId: 'session-7', userId: 'user-7', tags: ['a', 'b'], metadata: { plan: 'pro' } }
  const trace = langfuse.trace({ name, input: QUESTION, ...facts })
  ids[name] = trace.id
  const client = () =>
    observeOpenAI(new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0 }), { generationName: 'ask', parent: trace })
  const messages = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: QUESTION },
  ]
  const ask = async () => {
    const request = { model: 'gpt-5', messages }
    if (!stream) return (await client().chat.completions.create(request)).choices[0].message
    const options = { stream: true, stream_options: { include_usage: true } }
    const message = { role: 'assistant', content: null, tool_calls: [] }
    for await (const { choices } of await client().chat.completions.create({ ...request, ...options })) {
      const { delta } = choices[0] ?? {}
      if (delta?.content) message.content = (message.content ?? '') + delta.content
      for (const { index: _index, ...call } of delta?.tool_calls ?? []) message.tool_calls.push(call)
    }
    return message
  }
  const {
    tool_calls: [call],
    ...asked
  } = await ask()
  const span = trace.span({ name: 'weather', input: JSON.parse(call.function.arguments) })
  let result
  try {
    result = execute()
    span.end({ output: result })
  } catch (error) {
    result = `Error: ${error.message}`
    span.end({ level: 'ERROR', statusMessage: error.message })
  }
  messages.push({ ...asked, tool_calls: [call] }, { role: 'tool', tool_call_id: call.id, content: result })
  const answer = await ask()
  trace.update({ output: answer.content })
  return trace
}

const whole = await run('whole')
await run('streamed', { stream: true })
await run('tool', {
  execute: () => {
    throw new RangeError('no such city')
  },
})
await run('model', { baseURL: 'http://127.0.0.1:1' }).catch(() => undefined)
whole.score({ name: 'helpful', value: 1, dataType: 'BOOLEAN' })
const mood = { id: crypto.randomUUID(), traceId: ids.whole, name: 'mood' }
langfuse.score({ ...mood, value: 'sad' })
await langfuse.flushAsync()
langfuse.score({ ...mood, value: 'glad' })
const seen = langfuse.trace({ name: 'picture' })
ids.picture = seen.id
const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${process.env.PICTURE}` } }]
seen.generation({ name: 'look', model: 'gpt-5', input: [{ role: 'user', content }] }).end({ output: 'a dot' })
await langfuse.shutdownAsync()
console.log(JSON.stringify(ids))
