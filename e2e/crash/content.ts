import type { Random } from '../lib/random.ts'
import type { Ledger, SentStep, SentTrace } from './ledger.ts'

const MODELS = ['model-a', 'model-b', 'model-c']

export function newStep(ledger: Ledger, random: Random, keyed: boolean): SentStep {
  const name = ledger.nextName('step')
  const idempotencyKey = keyed ? `key of ${name}` : null
  const body = {
    name,
    type: 'llm',
    model: random.pick(MODELS),
    token_usage: { input: random.below(1000), output: random.below(100) },
    messages: [{ role: 'user', content: [{ type: 'text', text: words(random, random.below(ledger.longestText)) }] }],
    metadata: { text: random.word(8), 'quote"': "it's", nested: { n: random.below(1e9) } },
    ...(random.chance(0.1) ? { status: 'error', error: { type: 'Boom', message: name } } : {}),
    ...(idempotencyKey === null ? {} : { idempotency_key: idempotencyKey }),
  }
  return { name, body, idempotencyKey, id: null }
}

export function newTrace(ledger: Ledger, random: Random, keyed: boolean): SentTrace {
  const name = ledger.nextName('trace')
  const steps = Array.from({ length: random.below(6) }, () => newStep(ledger, random, random.chance(0.3)))
  const trace: SentTrace = {
    name,
    body: { name, steps: steps.map((step) => step.body) },
    idempotencyKey: keyed ? `key of ${name}` : null,
    id: null,
    steps,
    busy: false,
    acknowledgedMark: null,
    askedMark: null,
    deletion: 'none',
  }
  ledger.traces.set(name, trace)
  return trace
}

/** Words, because the text index stores words. */
function words(random: Random, length: number): string {
  return random.word(length).replaceAll(/[a-d]/g, ' ')
}
