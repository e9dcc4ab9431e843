import type { Step } from '@spoor/contract/schemas/traces/step'

/**
 * The columns of the step list, for a run of steps: cheap to transfer from a worker and to store by the ten thousand.
 * NaN means none.
 */
export interface StepBatch {
  readonly ids: string[]
  readonly parentIds: (string | null)[]
  readonly inferred: boolean[]
  readonly names: string[]
  readonly types: string[]
  readonly models: (string | null)[]
  readonly failed: boolean[]
  /** Milliseconds since 1970. */
  readonly starts: number[]
  readonly ends: number[]
  /** Input and output tokens. */
  readonly tokens: number[]
  /** US dollars. */
  readonly costs: number[]
  /** Whether the sender gave its cost, which covers the steps inside. */
  readonly costsSent: boolean[]
  /** Whether its tokens are counted on another step. */
  readonly countedElsewhere: boolean[]
  /** The start of the error text: `type: message`. */
  readonly errors: (string | null)[]
}

const ERROR_LENGTH = 300

export function emptyBatch(): StepBatch {
  return {
    ids: [],
    parentIds: [],
    inferred: [],
    names: [],
    types: [],
    models: [],
    failed: [],
    starts: [],
    ends: [],
    tokens: [],
    costs: [],
    costsSent: [],
    countedElsewhere: [],
    errors: [],
  }
}

export function toStepBatch(steps: readonly Step[]): StepBatch {
  const batch = emptyBatch()
  for (const step of steps) {
    batch.ids.push(step.id)
    batch.parentIds.push(step.parent_step_id)
    batch.inferred.push(step.parent_inferred)
    batch.names.push(step.name)
    batch.types.push(step.type)
    batch.models.push(step.model)
    batch.failed.push(step.status === 'error')
    batch.starts.push(step.started_at === null ? NaN : Date.parse(step.started_at))
    batch.ends.push(step.ended_at === null ? NaN : Date.parse(step.ended_at))
    const usage = step.token_usage
    batch.tokens.push(usage === undefined ? NaN : (usage.input ?? 0) + (usage.output ?? 0))
    batch.costs.push(step.cost_usd ?? NaN)
    batch.costsSent.push(step.cost_source === 'sender')
    batch.countedElsewhere.push(step.usage_counted_on !== null)
    batch.errors.push(step.error === undefined ? null : errorLine(step.error))
  }
  return batch
}

/** Appends a batch. */
export function appendBatch(to: StepBatch, more: StepBatch): void {
  for (let index = 0; index < more.ids.length; index += 1) {
    to.ids.push(more.ids[index] as string)
    to.parentIds.push(more.parentIds[index] as string | null)
    to.inferred.push(more.inferred[index] as boolean)
    to.names.push(more.names[index] as string)
    to.types.push(more.types[index] as string)
    to.models.push(more.models[index] as string | null)
    to.failed.push(more.failed[index] as boolean)
    to.starts.push(more.starts[index] as number)
    to.ends.push(more.ends[index] as number)
    to.tokens.push(more.tokens[index] as number)
    to.costs.push(more.costs[index] as number)
    to.costsSent.push(more.costsSent[index] as boolean)
    to.countedElsewhere.push(more.countedElsewhere[index] as boolean)
    to.errors.push(more.errors[index] as string | null)
  }
}

function errorLine({ type, message }: { type?: string; message?: string }): string {
  return [type, message]
    .filter((part) => part !== undefined)
    .join(': ')
    .slice(0, ERROR_LENGTH)
}
