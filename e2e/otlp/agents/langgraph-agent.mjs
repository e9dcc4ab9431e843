// An agent of LangGraph with a tool, in the runs that each of its tracers is tested with.
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { MODEL_URL, QUESTION, SYSTEM } from './question.mjs'

const agent = (execute, baseURL = MODEL_URL) => {
  const schema = z.object({ city: z.string() })
  const weather = tool(execute, { name: 'weather', description: 'The weather of a city', schema })
  const configuration = { baseURL }
  const llm = new ChatOpenAI({ model: 'gpt-5', apiKey: 'any', maxRetries: 0, configuration, streamUsage: true })
  return createReactAgent({ llm, tools: [weather], prompt: SYSTEM, name: 'forecast' })
}
const input = { messages: [{ role: 'user', content: QUESTION }] }

/** `config` makes the settings of a run; `within` may run it in something. */
export async function runAll(config, within = (_name, run) => run()) {
  const works = async () => 'sun'
  const broken = async () => {
    throw new RangeError('no such city')
  }
  const invoke = (name, ...how) => within(name, () => agent(...how).invoke(input, config(name)))
  await invoke('whole', works)
  await within('streamed', async () => {
    for await (const _ of await agent(works).stream(input, { ...config('streamed'), streamMode: 'messages' }));
  })
  await invoke('tool', broken)
  await invoke('model', works, 'http://127.0.0.1:1').catch(() => undefined)
}
