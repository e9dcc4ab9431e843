// An agent with a tool on the client of OpenAI, whole and streamed. The client is given, because an instrumentation may
// have to be set up before it is loaded.
import { trace } from '@opentelemetry/api'
import { MODEL_URL, QUESTION, SYSTEM } from './question.mjs'

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]

/** `inTool` runs the tool in a span. */
export async function runAll(OpenAI, inTool = () => 'sun') {
  const client = new OpenAI({ baseURL: MODEL_URL, apiKey: 'any', maxRetries: 0 })
  const ids = {}
  for (const name of ['whole', 'streamed']) {
    await trace.getTracer('agent').startActiveSpan('forecast', async (span) => {
      ids[name] = span.spanContext().traceId
      const messages = [
        { role: 'system', content: SYSTEM },
        { role: 'user', content: QUESTION },
      ]
      const call = async () => {
        const sent = { model: 'gpt-5', messages, tools }
        if (name === 'whole') return (await client.chat.completions.create(sent)).choices[0].message
        const options = { stream: true, stream_options: { include_usage: true } }
        const message = { role: 'assistant', content: '', tool_calls: [] }
        for await (const { choices } of await client.chat.completions.create({ ...sent, ...options })) {
          const { content, tool_calls: calls = [] } = choices[0]?.delta ?? {}
          message.content += content ?? ''
          for (const { index, id, function: part } of calls) {
            message.tool_calls[index] ??= { id, type: 'function', function: { name: part.name, arguments: '' } }
            message.tool_calls[index].function.arguments += part.arguments ?? ''
          }
        }
        return message
      }
      messages.push(await call())
      messages.push({ role: 'tool', tool_call_id: 'call_1', content: await inTool() })
      await call()
      span.end()
    })
  }
  return ids
}
