/** A step as it was sent, and the result that was returned for it. */
export interface SentStep {
  readonly name: string
  readonly body: object
  readonly idempotencyKey: string | null
  /** Null until a verdict confirmed it. */
  id: string | null
}

/** The fields set by a PATCH. */
interface Mark {
  readonly flagged: boolean
  readonly reason: string
}

/** A trace as it was sent, and all later requests and responses about it. Names are unique: they identify the trace. */
export interface SentTrace {
  readonly name: string
  readonly body: { readonly name: string; readonly steps: readonly object[] }
  readonly idempotencyKey: string | null
  /** Null until acknowledged. */
  id: string | null
  /** In the order in which they were sent. */
  readonly steps: SentStep[]
  /**
   * Changes are made by one worker at a time. After a crash the trace has the last acknowledged one or the pending one.
   */
  busy: boolean
  acknowledgedMark: Mark | null
  askedMark: Mark | null
  deletion: 'none' | 'asked' | 'acknowledged'
}

/** A metric event as it was sent, and the result that was returned for it. Its comment is unique and identifies it. */
export interface SentEvent {
  readonly trace: SentTrace
  readonly comment: string
  readonly value: number
  readonly idempotencyKey: string | null
  /** Null until a verdict confirmed it. */
  id: string | null
}

/** Everything that was sent to the service, over all its processes. */
export class Ledger {
  readonly traces = new Map<string, SentTrace>()
  /** Keyed requests without a response; sent again after the restart. */
  readonly unansweredTraces = new Set<SentTrace>()
  /** Refused with 503 because nothing could be written, without a key: they must not exist. */
  readonly refusedTraces = new Set<SentTrace>()
  readonly unansweredSteps = new Map<SentTrace, SentStep[]>()
  readonly events: SentEvent[] = []
  readonly unansweredEvents = new Set<SentEvent>()
  readonly unansweredDeletions = new Set<SentTrace>()
  readonly violations: string[] = []
  /** Maximum length of a step's text, characters. */
  readonly longestText: number
  acknowledgedRequests = 0
  readonly #known = new Set<string>()
  #names = 0

  constructor(longestText = 400) {
    this.longestText = longestText
  }

  nextName(kind: string): string {
    this.#names += 1
    return `${kind}-${this.#names}`
  }

  /** Repeated violations are recorded once. */
  violate(text: string): void {
    if (this.#known.has(text)) return
    this.#known.add(text)
    this.violations.push(text)
  }

  acknowledgeTrace(trace: SentTrace, id: string, stepIds: readonly string[]): void {
    if (trace.id !== null && trace.id !== id) this.violate(`${trace.name}: the id was ${trace.id}, a retry says ${id}`)
    if (stepIds.length !== trace.body.steps.length) {
      this.violate(`${trace.name}: ${stepIds.length} step ids for ${trace.body.steps.length} steps`)
    }
    trace.id = id
    stepIds.forEach((stepId, index) => {
      const step = trace.steps[index]
      if (step !== undefined) this.acknowledgeStep(trace, step, stepId)
    })
    this.unansweredTraces.delete(trace)
    this.acknowledgedRequests += 1
  }

  acknowledgeStep(trace: SentTrace, step: SentStep, id: string): void {
    if (step.id !== null && step.id !== id) {
      this.violate(`${trace.name} ${step.name}: the id was ${step.id}, a retry says ${id}`)
    }
    step.id = id
  }

  leaveStepsUnanswered(trace: SentTrace, steps: readonly SentStep[]): void {
    const keyed = steps.filter((step) => step.idempotencyKey !== null && step.id === null)
    if (keyed.length === 0) return
    this.unansweredSteps.set(trace, [...(this.unansweredSteps.get(trace) ?? []), ...keyed])
  }
}
