import { test } from 'node:test'
import { missingSender } from './run-agent.ts'
import { killUnderSdks } from './sdk-kills.ts'

test('clients of LangSmith, Langfuse and OpenTelemetry lose and double nothing when the service is killed', async (context) => {
  const missing = missingSender('agents')
  if (missing !== null) return context.skip(missing)
  await killUnderSdks(2)
})
