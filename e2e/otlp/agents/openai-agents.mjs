// Run by agents.test.ts: agents of OpenAI's Agents SDK, with OpenInference.
import { provider } from './exporting.mjs'
import { MODEL_URL, QUESTION, SYSTEM } from './question.mjs'
import { OpenAIAgentsInstrumentation } from '@arizeai/openinference-instrumentation-openai-agents'
import * as agents from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'

new OpenAIAgentsInstrumentation({ tracerProvider: provider }).manuallyInstrument(agents)
const agent = (execute, baseURL = MODEL_URL) => {
  const client = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0 })
  const model =
    process.argv[2] === 'chat'
      ? new agents.OpenAIChatCompletionsModel(client, 'gpt-5')
      : new agents.OpenAIResponsesModel(client, 'gpt-5')
  const weather = agents.tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    execute,
  })
  return new agents.Agent({ name: 'forecast', instructions: SYSTEM, model, tools: [weather] })
}
const run = (name, asked, options) =>
  new agents.Runner({ workflowName: name, groupId: 'session-7', traceMetadata: { user_id: 'user-7' } }).run(
    asked,
    QUESTION,
    options,
  )

await run(
  'whole',
  agent(async () => 'sun'),
)
for await (const _ of await run(
  'streamed',
  agent(async () => 'sun'),
  { stream: true },
));
const broken = async () => {
  throw new RangeError('no such city')
}
await run('tool', agent(broken))
await run('model', agent(broken, 'http://127.0.0.1:1')).catch(() => undefined)
await provider.shutdown()
