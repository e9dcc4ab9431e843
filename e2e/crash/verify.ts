import { isDeepStrictEqual } from 'node:util'
import type { Step } from '@spoor/contract/schemas/traces/step'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { Client } from '../lib/client.ts'
import { walkFeed } from '../lib/feed.ts'
import { forEach } from '../lib/for-each.ts'
import type { Ledger, SentStep, SentTrace } from './ledger.ts'
import { verifyEvents } from './metric-events.ts'
import type { TailFollower } from './tail-follower.ts'

export interface Verified {
  readonly traces: number
  readonly steps: number
  readonly metricEvents: number
}

/**
 * Compares everything that was sent and returned with the service's current data. Adds violations to
 * `ledger.violations`.
 */
export async function verifyAll(client: Client, ledger: Ledger, tail: TailFollower): Promise<Verified> {
  const rows = await walkFeed(client)
  const byName = new Map<string, TraceRow>()
  const there: { readonly sent: SentTrace; readonly row: TraceRow }[] = []
  for (const row of rows) {
    if (byName.has(row.name)) ledger.violate(`${row.name} exists twice: ${byName.get(row.name)?.id} and ${row.id}`)
    byName.set(row.name, row)
    const sent = ledger.traces.get(row.name)
    if (sent === undefined) ledger.violate(`${row.name} ${row.id} was never sent`)
    else there.push({ sent, row })
    if (sent !== undefined && ledger.refusedTraces.has(sent)) ledger.violate(`${row.name} was refused but exists`)
  }
  let steps = 0
  await forEach(there, async ({ sent, row }) => {
    steps += await verifyTrace(client, ledger, sent, row)
  })
  await forEach([...ledger.traces.values()], async (sent) => {
    const row = byName.get(sent.name)
    if (row === undefined && sent.id !== null && sent.deletion === 'none')
      ledger.violate(`${sent.name} ${sent.id} is lost`)
    if (sent.deletion === 'acknowledged') await verifyDeleted(client, ledger, sent, row)
  })
  verifyTail(ledger, tail, rows)
  return { traces: rows.length, steps, metricEvents: await verifyEvents(client, ledger) }
}

/** Returns the number of its steps. */
async function verifyTrace(client: Client, ledger: Ledger, sent: SentTrace, row: TraceRow): Promise<number> {
  const answer = await client.get(`/v1/traces/${row.id}`)
  if (answer.status !== 200) {
    ledger.violate(`${sent.name}: in the feed, but read alone it is ${answer.status} ${answer.text}`)
    return 0
  }
  const trace = answer.json<Trace>()
  const violate = (text: string) => ledger.violate(`${sent.name} ${row.id}: ${text}`)
  if (sent.id !== null && sent.id !== row.id) violate(`was acknowledged as ${sent.id}`)
  verifySteps(sent, trace.steps, violate)
  verifySums(row, trace, violate)
  verifyMarks(sent, trace, violate)
  return trace.steps.length
}

function verifySteps(sent: SentTrace, steps: readonly Step[], violate: (text: string) => void): void {
  const sentByName = new Map(sent.steps.map((step) => [step.name, step]))
  const there = new Map<string, Step>()
  steps.forEach((step, index) => {
    if (step.position !== index) violate(`step ${index} says it is at ${step.position}`)
    const parent = steps[index - 1]?.id ?? null
    if (step.parent_step_id !== parent || step.parent_inferred !== (parent !== null)) {
      violate(`${step.name} at ${index} has the parent ${step.parent_step_id}, not ${parent}`)
    }
    if (there.has(step.name)) violate(`${step.name} exists twice`)
    there.set(step.name, step)
    const original = sentByName.get(step.name)
    if (original === undefined) violate(`${step.name} was never sent`)
    else if (!sameContent(step, original)) violate(`${step.name} was returned changed: ${JSON.stringify(step)}`)
  })
  for (const step of sent.steps) {
    const found = there.get(step.name)
    if (step.id !== null && found === undefined) violate(`${step.name} ${step.id} is lost`)
    if (step.id !== null && found !== undefined && found.id !== step.id)
      violate(`${step.name} ${step.id} is now ${found.id}`)
  }
  sent.body.steps.forEach((_step, index) => {
    if (steps[index]?.name !== sent.steps[index]?.name) violate(`step ${index} of its body is not at ${index}`)
  })
}

function sameContent(step: Step, { body }: SentStep): boolean {
  const defaults = { idempotency_key: null, status: 'ok' }
  const wanted: Record<string, unknown> = { ...defaults, ...body }
  const found: Record<string, unknown> = { ...step }
  return Object.keys(wanted).every((field) => isDeepStrictEqual(found[field], wanted[field]))
}

function verifySums(row: TraceRow, { steps }: Trace, violate: (text: string) => void): void {
  const sum = (field: 'input' | 'output') => steps.reduce((total, step) => total + (step.token_usage?.[field] ?? 0), 0)
  const { input, output, total } = row.token_usage
  if (row.step_count !== steps.length) violate(`step_count is ${row.step_count}, there are ${steps.length}`)
  if (input !== sum('input') || output !== sum('output') || total !== input + output) {
    violate(`token sums are ${input} and ${output}, those of the steps ${sum('input')} and ${sum('output')}`)
  }
  const models = [...new Set(steps.flatMap((step) => step.model ?? []))].sort()
  if (!isDeepStrictEqual([...row.models].sort(), models))
    violate(`models are ${row.models.join()}, not ${models.join()}`)
  const status = steps.some((step) => step.status === 'error') ? 'error' : 'ok'
  if (row.status !== status) violate(`status is ${row.status}, not ${status}`)
}

/**
 * A step that failed meanwhile flags the trace. So only a removed flag of a trace without failures, and every reason,
 * can be verified.
 */
function verifyMarks(sent: SentTrace, trace: Trace, violate: (text: string) => void): void {
  const mark = sent.acknowledgedMark
  if (mark === null || sent.askedMark !== null) return
  const { flag_reason, state, status } = trace
  if (mark.flagged && state !== 'flagged') violate(`the acknowledged flag is gone`)
  if (mark.flagged && flag_reason !== mark.reason)
    violate(`its reason is ${flag_reason}, acknowledged was ${mark.reason}`)
  if (!mark.flagged && status === 'ok' && state !== 'committed') violate(`the flag that was removed exists again`)
}

async function verifyDeleted(
  client: Client,
  ledger: Ledger,
  sent: SentTrace,
  row: TraceRow | undefined,
): Promise<void> {
  if (row !== undefined) ledger.violate(`${sent.name} is deleted and in the feed`)
  for (const path of ['', '/steps']) {
    const { status } = await client.get(`/v1/traces/${sent.id}${path}`)
    if (status !== 404) ledger.violate(`${sent.name} is deleted and answers ${status}`)
  }
}

function verifyTail(ledger: Ledger, tail: TailFollower, rows: readonly TraceRow[]): void {
  for (const violation of tail.violations) ledger.violate(violation)
  const { seen } = tail
  for (let i = 1; i < seen.length; i++) {
    const [before, after] = [seen[i - 1], seen[i]]
    if (before === undefined || after === undefined) continue
    if (before.position >= after.position) ledger.violate(`the tail went from ${before.position} to ${after.position}`)
    if (before.id >= after.id) ledger.violate(`the tail showed ${after.id} after ${before.id}, which is newer`)
  }
  const ids = new Set(seen.map(({ id }) => id))
  for (const row of rows) if (!ids.has(row.id)) ledger.violate(`the tail never showed ${row.name} ${row.id}`)
  const there = new Set(rows.map(({ id }) => id))
  const deleted = new Set([...ledger.traces.values()].flatMap(({ id, deletion }) => (deletion === 'none' ? [] : [id])))
  for (const { id } of seen) {
    if (!there.has(id) && !deleted.has(id)) ledger.violate(`the tail showed ${id}, which does not exist`)
  }
}
