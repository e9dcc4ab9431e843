// Run by langsmith.test.ts: agents of LangGraph that LangSmith's own SDK traces, by environment variables alone.
//   MODEL_URL=… LANGSMITH_TRACING=true LANGSMITH_ENDPOINT=… LANGSMITH_API_KEY=… node e2e/otlp/agents/langsmith.mjs
// Prints one JSON object: run to the id of its trace.
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises'
import { Client } from 'langsmith'
import { runAll } from './langgraph-agent.mjs'
import { QUESTION } from './question.mjs'

const ids = {}
await runAll((run) => {
  ids[run] = crypto.randomUUID()
  const metadata = { thread_id: run === 'streamed' ? 'thread-8' : 'thread-7', user_id: 'user-7', plan: 'pro' }
  return { runId: ids[run], runName: run, tags: ['a', 'b'], metadata }
})

const client = new Client()
await awaitAllCallbacks()
const { id: feedbackId } = await client.createFeedback(ids.whole, 'helpful', { score: 1, comment: 'yes' })
await client.updateFeedback(feedbackId, { score: 0 })
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
