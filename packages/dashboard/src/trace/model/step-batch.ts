import type { Step } from '@spoor/contract/schemas/traces/step'

/** The columns of the step list, by what each takes of a step. NaN means none. */
const COLUMNS = {
  ids: (step: Step) => step.id as string,
  parentIds: (step: Step) => step.parent_step_id as string | null,
  inferred: (step: Step) => step.parent_inferred,
  names: (step: Step) => step.name,
  types: (step: Step) => step.type,
  models: (step: Step) => step.model,
  failed: (step: Step) => step.status === 'error',
  /** Milliseconds since 1970. */
  starts: (step: Step) => timeOf(step.started_at),
  ends: (step: Step) => timeOf(step.ended_at),
  /** Input and output tokens. */
  tokens: ({ token_usage: usage }: Step) => (usage === undefined ? NaN : (usage.input ?? 0) + (usage.output ?? 0)),
  /** US dollars. */
  costs: (step: Step) => step.cost_usd ?? NaN,
  /** Whether the sender gave its cost, which covers the steps inside. */
  costsSent: (step: Step) => step.cost_source === 'sender',
  /** Whether its tokens are counted on another step. */
  countedElsewhere: (step: Step) => step.usage_counted_on !== null,
  /** The start of the error text: `type: message`. */
  errors: (step: Step) => (step.error === undefined ? null : errorLine(step.error)),
} as const
type Column = keyof typeof COLUMNS

/** The columns for a run of steps: cheap to transfer from a worker and to store by the ten thousand. */
export type StepBatch = { readonly [Name in Column]: ReturnType<(typeof COLUMNS)[Name]>[] }

const NAMES = Object.keys(COLUMNS) as Column[]
const ERROR_LENGTH = 300

export function toStepBatch(steps: readonly Step[]): StepBatch {
  const columns: Readonly<Record<Column, (step: Step) => unknown>> = COLUMNS
  return Object.fromEntries(NAMES.map((name) => [name, steps.map(columns[name])])) as unknown as StepBatch
}

export function emptyBatch(): StepBatch {
  return toStepBatch([])
}

export function appendBatch(to: StepBatch, more: StepBatch): void {
  for (const name of NAMES) {
    const column: unknown[] = to[name]
    for (const value of more[name]) column.push(value)
  }
}

function timeOf(at: string | null): number {
  return at === null ? NaN : Date.parse(at)
}

function errorLine({ type, message }: { type?: string; message?: string }): string {
  return [type, message]
    .filter((part) => part !== undefined)
    .join(': ')
    .slice(0, ERROR_LENGTH)
}
