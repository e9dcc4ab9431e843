/**
 * Requests in the form in which public senders send them that these tests cannot install, each with other words and
 * numbers than theirs, and what a reader sees of them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { PROJECT } from '../trace-builders.test-support.ts'
import { TraceWorld } from '../trace-world.test-support.ts'
import { LANGFUSE_SENDERS } from './public-langfuse.test-support.ts'
import { OTHER_SENDERS } from './public-others.test-support.ts'
import type { Shown } from './public-senders.test-support.ts'
import type { RecordEvaluations } from './take-export.ts'

class World extends TraceWorld {
  async shown(scores: ReadonlyMap<string, string | null>): Promise<Shown> {
    const { traces } = await this.list()
    const [found] = traces
    assert.ok(found !== undefined && traces.length === 1, `${traces.length} traces`)
    const steps: StepRecord[] = []
    for await (const page of (await this.service.useCases.read(PROJECT, found.id)).steps) steps.push(...page)
    const { name, sessionId, userId, status, tokenUsage, digest } = found
    const names = named(steps)
    return {
      trace: [name, sessionId, userId, status, tokenUsage.input, tokenUsage.output],
      ...(scores.size === 0
        ? {}
        : {
            scores: Object.fromEntries([...scores].map(([score, id]) => [score, id === null ? null : names.get(id)!])),
          }),
      said: [digest.input?.text, digest.output?.text, digest.error?.text],
      steps: Object.fromEntries(
        steps
          .map(
            (step) =>
              [names.get(step.id)!, [names.get(step.parentStepId!) ?? null, step.type, ...saidBy(step)]] as const,
          )
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ) as Shown['steps'],
    }
  }
}

/** A second step of one name is `name 2`, in the order of their starts. */
function named(steps: readonly StepRecord[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const counts = new Map<string, number>()
  const isRoot = ({ parentStepId }: StepRecord) => steps.every(({ id }) => id !== parentStepId)
  const sorted = steps.toSorted((a, b) => Number(isRoot(b)) - Number(isRoot(a)) || a.startedAt! - b.startedAt!)
  for (const { id, name } of sorted) {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    names.set(id, count === 1 ? name : `${name} ${count}`)
  }
  return names
}

type Part = Readonly<Record<string, unknown>>

function saidBy({ body }: StepRecord): string[] {
  const { messages = [], error } = JSON.parse(body) as {
    messages?: readonly { role: string; content?: readonly Part[]; tool_calls?: readonly Part[] }[]
    error?: { type?: string; message: string }
  }
  const parts = messages.map(({ role, content = [], tool_calls: calls = [] }) => {
    const called = calls.map((call) => {
      const { name, arguments: text, args } = (call['function'] ?? call) as Part
      return `${String(name)}(${typeof text === 'string' ? text : JSON.stringify(args)})`
    })
    return `${role}: ${[...content.map(textOf), ...called].filter(Boolean).join(' ')}`
  })
  return error === undefined ? parts : [...parts, `error: ${[error.type, error.message].filter(Boolean).join(': ')}`]
}

function textOf(part: Part): string {
  if (part['type'] === 'tool_call') return `${String(part['name'])}(${JSON.stringify(part['arguments'])})`
  return typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part['data'] ?? part['response'] ?? part)
}

for (const [name, { form, requests, shown }] of Object.entries({ ...LANGFUSE_SENDERS, ...OTHER_SENDERS })) {
  test(name, async () => {
    const scores = new Map<string, string | null>()
    const recordEvaluations: RecordEvaluations = async (_project, evaluations) => {
      for (const { name: score, stepId } of evaluations) scores.set(score, stepId)
      return []
    }
    const world = new World({ recordEvaluations })
    for (const request of requests) {
      const body = Buffer.from(JSON.stringify(request))
      // A score is a request of another form than spans.
      const encoding = 'batch' in request ? 'langfuse' : form
      const { count, reasons } = await world.service.useCases.takeExport({ projectId: PROJECT, body, encoding })
      assert.deepEqual([count, reasons], [0, []])
    }
    assert.deepEqual(await world.shown(scores), shown)
  })
}
