// Run by agents.test.ts: an agent on the client of OpenAI, with Logfire and the instrumentations that it loads.
import { createRequire } from 'node:module'
import * as logfire from '@pydantic/logfire-node'
import { runAll } from './openai-agent.mjs'

logfire.configure({
  serviceName: 'my-agent',
  console: false,
  metrics: false,
  nodeAutoInstrumentations: {
    '@opentelemetry/instrumentation-openai': { captureMessageContent: true },
    '@opentelemetry/instrumentation-undici': { enabled: false },
  },
})
const OpenAI = createRequire(import.meta.url)('openai')
await runAll(OpenAI, () =>
  logfire.span('weather', { attributes: { city: 'Bern' }, tags: ['a'], callback: async () => 'sun' }),
)
await logfire.shutdown()
