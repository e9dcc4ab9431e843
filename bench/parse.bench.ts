/**
 * The cost of preparing a step and a trace, also with masking, compared with a bare JSON.parse of the same bytes, on
 * one thread.
 *
 *     node bench/parse.bench.ts [traces.jsonl]
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { DETECTORS } from '../packages/contract/src/schemas/masking.ts'
import { DEFAULT_LIMITS } from '../packages/contract/src/limits.ts'
import { compileMasking } from '../packages/server/src/lib/masking/masker.ts'
import { maskWhole } from '../packages/server/src/traces/intake/mask-prepared.ts'
import { parseStep } from '../packages/server/src/traces/intake/parse-step.ts'
import { parseTrace } from '../packages/server/src/traces/intake/parse-trace.ts'

const STEPS_PER_SECOND_NEEDED = 20_000
const TRACES_PER_SECOND_NEEDED = 2_000
const ROUND_MS = 300
const ROUNDS = 5

function step(index: number, text: string): object {
  return {
    name: `call model ${index}`,
    type: 'llm',
    model: 'gpt-4o',
    messages: [
      { role: 'user', content: [{ type: 'text', text }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Your flight is booked for 3 pm.' }] },
    ],
    token_usage: { input: 123, output: 45 },
    metadata: { attempt: index, region: 'eu' },
    idempotency_key: `call-${index}`,
    started_at: '2026-01-31T12:00:00.123Z',
    ended_at: '2026-01-31T12:00:01.123Z',
  }
}

const text = 'Please move the "return" leg to a later flight that day.\n'.repeat(10)
const steps = Array.from({ length: 10 }, (_, index) => step(index, text))
const toBytes = (value: unknown) => Buffer.from(JSON.stringify(value))

measure('step, ASCII', steps.map(toBytes), (bytes) => parseStep(bytes, DEFAULT_LIMITS), STEPS_PER_SECOND_NEEDED)
measure(
  'step, other text',
  steps.map((_, index) => toBytes(step(index, `${text} – café 東京`))),
  (bytes) => parseStep(bytes, DEFAULT_LIMITS),
  STEPS_PER_SECOND_NEEDED,
)
const trace = { name: 'airline agent', run_type: 'agent', metadata: { env: 'prod', task: 12, reward: 0.5 }, steps }
measure('trace, 10 steps', [toBytes(trace)], (bytes) => parseTrace(bytes, DEFAULT_LIMITS), TRACES_PER_SECOND_NEEDED)
const patterns = ['C-[0-9]{6}', '(?i)passport\\s+[a-z0-9]{6,9}', '[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}']
const named = patterns.map((pattern, index) => ({ name: `own-${index}`, pattern }))
const detecting = await compileMasking({ fields: [], detectors: [...DETECTORS], patterns: [] })
const all = await compileMasking({ fields: ['**.password'], detectors: [...DETECTORS], patterns: named })
const maskings = { 'all detectors': detecting, 'and 3 patterns': all }
for (const [name, masker] of Object.entries(maskings))
  measure(`trace, ${name}`, [toBytes(trace)], (bytes) => maskWhole(parseTrace(bytes, DEFAULT_LIMITS), masker), null)
const [file] = process.argv.slice(2)
if (file !== undefined) {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  measure(
    'traces of the file',
    lines.map((line) => Buffer.from(line)),
    (bytes) => parseTrace(bytes, DEFAULT_LIMITS),
    null,
  )
  for (const [name, masker] of Object.entries(maskings))
    measure(
      `traces of the file, ${name}`,
      lines.map((line) => Buffer.from(line)),
      (bytes) => maskWhole(parseTrace(bytes, DEFAULT_LIMITS), masker),
      null,
    )
}
console.log(`load average ${loadavg()[0]!.toFixed(1)}`)

function measure(
  name: string,
  bodies: readonly Buffer[],
  parse: (bytes: Buffer) => unknown,
  needed: number | null,
): void {
  const bytesEach = bodies.reduce((sum, body) => sum + body.length, 0) / bodies.length
  const bare = fastestMicroseconds(bodies, (bytes) => JSON.parse(bytes.toString()) as unknown)
  const prepared = fastestMicroseconds(bodies, parse)
  const columns = [
    name.padEnd(20),
    `${bytesEach.toFixed(0)} bytes`,
    `${prepared.toFixed(1)} µs (${(bytesEach / prepared).toFixed(0)} MB/s, ${(1e6 / prepared).toFixed(0)}/s${needed === null ? '' : `, needed ${needed}/s`})`,
    `bare JSON.parse ${bare.toFixed(1)} µs`,
    `ratio ${(prepared / bare).toFixed(2)}`,
  ]
  console.log(columns.join('  '))
}

/** The fastest of several rounds, because other work on the machine only adds time. The first round also warms up. */
function fastestMicroseconds(bodies: readonly Buffer[], run: (bytes: Buffer) => unknown): number {
  let fastest = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    let count = 0
    while (performance.now() - begun < ROUND_MS) {
      for (const body of bodies) run(body)
      count += bodies.length
    }
    fastest = Math.min(fastest, (1000 * (performance.now() - begun)) / count)
  }
  return fastest
}
