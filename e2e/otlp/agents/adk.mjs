// Run by agents.test.ts: agents of Google's ADK.
import { provider } from './exporting.mjs'
import { FunctionTool, Gemini, InMemoryRunner, LlmAgent } from '@google/adk'
import { z } from 'zod'
import { QUESTION, SYSTEM } from './question.mjs'

const run = async (name, execute) => {
  const weather = new FunctionTool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    execute,
  })
  const model = new Gemini({ model: 'gemini-3-flash', apiKey: 'any' })
  const agent = new LlmAgent({ name, model, instruction: SYSTEM, tools: [weather] })
  const runner = new InMemoryRunner({ agent, appName: 'my-agent' })
  await runner.sessionService.createSession({ appName: 'my-agent', userId: 'user-7', sessionId: 'session-7' })
  const newMessage = { role: 'user', parts: [{ text: QUESTION }] }
  for await (const _ of runner.runAsync({ userId: 'user-7', sessionId: 'session-7', newMessage }));
}
await run('whole', async () => ({ sky: 'sun' }))
await run('tool', async () => {
  throw new RangeError('no such city')
})
await provider.shutdown()
