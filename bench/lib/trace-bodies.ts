import { httpRequest } from './http-request.ts'
import { seededRandom, sentence } from './vocabulary.ts'

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'llama-70b']

/** Bodies of POST /v1/traces: 10 steps, about 10 KB; one step in three hundred failed. */
export function traceBodies(count: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => traceBody(index))
}

/** Bodies of at least this many bytes, with as many steps as needed. */
export function largeTraceBodies(count: number, bytes: number): Buffer[] {
  return traceBodies(count).map((body) => {
    const trace = JSON.parse(body.toString()) as { steps: readonly object[] }
    const steps = Array.from({ length: Math.ceil(bytes / body.length) }, () => trace.steps).flat()
    return Buffer.from(JSON.stringify({ ...trace, steps }))
  })
}

/** Complete requests with these bodies. */
export function traceRequests(key: string, count = 256): Buffer[] {
  return traceBodies(count).map((bytes) => httpRequest('POST', '/v1/traces', key, { type: 'application/json', bytes }))
}

function traceBody(index: number): Buffer {
  const random = seededRandom(index + 1)
  return Buffer.from(
    JSON.stringify({
      name: `support flow ${index % 40}`,
      run_type: 'agent',
      session_id: `sess-${Math.floor(index / 3)}`,
      user_id: `user-${Math.floor(5000 * random() ** 2)}`,
      metadata: {
        env: 'prod',
        task_id: `task-${Math.floor(1000 * random())}`,
        request_id: `req-${index}`,
        attempt: index % 4,
      },
      steps: Array.from({ length: 10 }, (_, position) => step(position, random)),
    }),
  )
}

/** A line of a step append: about 1 KB, without an idempotency key and without its closing brace. */
export function openStepLine(index: number): string {
  return JSON.stringify(step(index % 1000, seededRandom(index + 1))).slice(0, -1)
}

function step(position: number, random: () => number): object {
  const startedAt = 1_790_000_000_000 + position * 900
  return {
    name: position % 3 === 0 ? 'search documents' : 'call model',
    type: position % 3 === 0 ? 'retrieval' : 'llm',
    ...(position % 3 === 0 ? {} : { model: MODELS[Math.floor(MODELS.length * random())] }),
    status: random() < 1 / 300 ? 'error' : 'ok',
    messages: [
      { role: 'user', content: [{ type: 'text', text: sentence(35, random) }] },
      { role: 'assistant', content: [{ type: 'text', text: sentence(62, random) }] },
    ],
    token_usage: { input: 100 + Math.floor(2000 * random()), output: 10 + Math.floor(500 * random()) },
    metadata: { attempt: position, region: 'eu', span: Math.floor(random() * 2 ** 48).toString(16) },
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(startedAt + 800).toISOString(),
  }
}
