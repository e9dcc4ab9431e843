// Run by agents.test.ts: an agent on the client of OpenAI, with OpenLLMetry and Braintrust's processor of spans.
import { BraintrustSpanProcessor } from '@braintrust/otel'
import { trace } from '@opentelemetry/api'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { OpenAIInstrumentation } from '@traceloop/instrumentation-openai'
import OpenAI from 'openai'
import { runAll } from './openai-agent.mjs'

const provider = new NodeTracerProvider({
  spanProcessors: [new BraintrustSpanProcessor({ parent: 'project_name:my-agent' })],
})
provider.register()
const instrumentation = new OpenAIInstrumentation({ enrichTokens: false })
instrumentation.setTracerProvider(provider)
instrumentation.manuallyInstrument(OpenAI)
await runAll(OpenAI, () =>
  trace.getTracer('agent').startActiveSpan('weather', (span) => {
    span.setAttributes({
      'braintrust.span_attributes': '{"type":"tool"}',
      'braintrust.input_json': '{"city":"Bern"}',
      'braintrust.output_json': '"sun"',
      'braintrust.tags': ['a', 'b'],
    })
    span.end()
    return 'sun'
  }),
)
await provider.shutdown()
