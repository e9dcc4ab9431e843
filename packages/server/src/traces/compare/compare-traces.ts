import { hash } from 'node:crypto'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { COMPARED_STEPS } from '@spoor/contract/limits'
import { isFields } from '@spoor/payloads/json'
import { partsOf } from '@spoor/payloads/message-parts'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { resultInTurns, type WorkTurns } from '../../lib/flow/work-turns.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { FoundTrace, TraceUseCases } from '../use-cases.ts'
import { type AlignedStep, alignSteps } from './align-steps.ts'
import { differenceFinder, type Figures, type StepDifferences } from './differences.ts'
import { runOrder } from './run-order.ts'
import { readStep, type StepContent } from './step-content.ts'
import { sketchOf } from './text-sketch.ts'

export interface CompareQuery {
  readonly projectId: ProjectId
  readonly left: TraceId
  readonly right: TraceId
  /** US dollars; null if unknown. */
  readonly costOf: (step: StepRecord) => number | null
}

export interface Comparison {
  readonly left: TraceRecord
  readonly right: TraceRecord
  /** In the order of the runs. */
  readonly pairs: readonly ComparedPair[]
}

type PairedStep = Pick<StepRecord, 'id' | 'name' | 'position'>

export interface ComparedPair extends StepDifferences {
  /** `same`: the steps did the same; only their figures may differ. */
  readonly kind: 'same' | 'changed' | 'only_left' | 'only_right'
  readonly left: PairedStep | null
  readonly right: PairedStep | null
}

/** Bodies of one run in memory, bytes. Of steps after these, only whether they differ is known, not where. */
export const COMPARED_BYTES = 8 * 1024 * 1024
/** Characters of a step by which its versions are found. */
const TEXT_CHARS = 1000

export interface CompareDependencies {
  readonly traces: Pick<TraceUseCases, 'read'>
  readonly work: WorkTurns
}

/** Throws DomainError `validation_failed` for a trace with too many steps, and as `read` does. */
export async function compareTraces(dependencies: CompareDependencies, query: CompareQuery): Promise<Comparison> {
  const found = await both(openRun(dependencies, query, 'left'), openRun(dependencies, query, 'right'))
  // The engine reads pages of one while those of the other are parsed.
  const [left, right] = await both(readRun(dependencies, query, found[0]), readRun(dependencies, query, found[1]))
  const work = comparePairs(left.steps, right.steps)
  const pairs = await resultInTurns(work, (step) => dependencies.work.steps(query.projectId, step))
  return { left: left.trace, right: right.trace, pairs }
}

/** Waits for both, so that nothing of them goes on. Rejects as the left one, else as the right one. */
async function both<T>(left: Promise<T>, right: Promise<T>): Promise<[T, T]> {
  await Promise.allSettled([left, right])
  return [await left, await right]
}

interface ComparedStep extends AlignedStep {
  readonly step: PairedStep
  readonly figures: Figures
  /** Null beyond COMPARED_BYTES. */
  readonly kept: StepContent | null
}

async function openRun({ traces }: CompareDependencies, query: CompareQuery, side: 'left' | 'right') {
  const found = await traces.read(query.projectId, query[side])
  const { stepCount } = found.trace
  if (stepCount <= COMPARED_STEPS) return found
  const detail = `The trace has ${stepCount} steps; at most ${COMPARED_STEPS} can be compared.`
  throw invalid({ pointer: `?${side}`, code: 'too_many', detail })
}

async function readRun(
  { work }: CompareDependencies,
  { projectId, costOf }: CompareQuery,
  { trace, steps }: FoundTrace,
) {
  const heads: Omit<StepRecord, 'body'>[] = []
  const read: ReturnType<typeof outline>[] = []
  let bytes = 0
  for await (const page of steps) {
    let at = 0
    await work.steps(projectId, () => {
      const step = page[at++]
      if (step === undefined) return false
      const { body, ...head } = step
      bytes += body.length
      heads.push(head)
      read.push(outline(step, costOf(step), bytes <= COMPARED_BYTES))
      return true
    })
  }
  const places: string[] = []
  const placed = runOrder(heads).map(({ step, parent }) => {
    const place = parent === -1 ? '' : hash('sha1', `${places[parent]} ${read[parent]!.role}`, 'base64')
    places[step] = place
    const one = read[step]!
    const sketch = () => one.sketched ?? sketchOf(textOf(one.kept as StepContent))
    return Object.assign(one, { place, sketch })
  })
  return { trace, steps: placed }
}

function outline(step: StepRecord, costUsd: number | null, isKept: boolean) {
  const { id, position, type, name } = step
  const { content, usage } = readStep(step)
  return {
    step: { id, position, name },
    type,
    role: JSON.stringify([type, name, toolOf(content)]),
    content: hash('sha1', JSON.stringify(content), 'base64'),
    figures: { usage, costUsd },
    kept: isKept ? content : null,
    sketched: isKept ? null : sketchOf(textOf(content)),
  }
}

/** What is new in a step: its last messages. Those before are often of earlier steps. */
function textOf({ messages, metadata, error }: StepContent): string {
  if (messages.length === 0) return JSON.stringify([metadata, error]).slice(0, TEXT_CHARS)
  const last = messages.slice(-2) as readonly object[]
  return searchableTexts({ name: error?.message ?? '', messages: last })
    .join(' ')
    .slice(-TEXT_CHARS)
}

/** The tool that a step runs, where its name does not say it. */
function toolOf({ type, messages, metadata }: StepContent): string | null {
  const named = isFields(metadata) ? (metadata['tool'] ?? metadata['gen_ai.tool.name']) : undefined
  if (typeof named === 'string') return named
  if (type !== 'tool') return null
  const parts = messages
    .filter(isFields)
    .slice(0, 2)
    .flatMap((message) => partsOf(message))
  return (
    parts
      .map((part) => (part.kind === 'tool-call' || part.kind === 'tool-result' ? part.name : null))
      .find((name) => name !== null) ?? null
  )
}

function* comparePairs(left: readonly ComparedStep[], right: readonly ComparedStep[]): Generator<void, ComparedPair[]> {
  const find = differenceFinder()
  const pairs: ComparedPair[] = []
  for (const [l, r] of yield* alignSteps(left, right)) {
    const [one, other] = [l === null ? null : left[l]!, r === null ? null : right[r]!]
    const steps = { left: one?.step ?? null, right: other?.step ?? null }
    if (one === null || other === null) {
      pairs.push({ kind: one === null ? 'only_right' : 'only_left', ...steps, differences: [], more: 0, repeated: 0 })
      continue
    }
    const isSame = one.content === other.content
    const isKept = one.kept !== null && other.kept !== null
    const contents = isSame || !isKept ? null : { left: one.kept, right: other.kept }
    const found = yield* find(contents, one.figures, other.figures)
    // Without its bodies it is not known where it differs.
    const more = found.more + (isSame || isKept ? 0 : 1)
    pairs.push({ kind: isSame ? 'same' : 'changed', ...steps, ...found, more })
    yield
  }
  return pairs
}
