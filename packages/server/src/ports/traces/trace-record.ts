import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { FindingKind } from '@spoor/contract/schemas/traces/finding'
import type { PricedTokens } from '../prices/price.ts'

/** Token sums, tokens. `total` is `input + output`; `input` includes cached tokens. */
export interface TokenUsage extends PricedTokens {
  readonly reasoning: number
}

/** The usage that a step reports. */
export interface StepUsage extends TokenUsage {
  /** Null if it says no more than the counts above. */
  readonly more: MoreUsage | null
}

/** Tokens with special prices, each included in `TokenUsage`, and the sender's facts about the price. */
export interface MoreUsage {
  /** Tokens written to a cache for an hour, among `cacheWrite`. */
  readonly cacheWriteHour: number
  readonly audioInput: number
  readonly audioOutput: number
  readonly imageInput: number
  readonly imageOutput: number
  /** The cost that the sender reports for the step, billionths of a US dollar; 0 without one. */
  readonly sentCost: number
  /** The call was made in a batch. */
  readonly isBatch: boolean
}

/** The fields of a trace that its client sets. */
export interface SentTrace {
  readonly name: string
  readonly runType: string
  /** The status that the client set on the trace itself; it decides `status`. */
  readonly ownStatus: 'ok' | 'error' | null
  /** Raw JSON object as the client sent it, byte for byte; `{}` if absent. */
  readonly metadata: Buffer
  readonly sessionId: string | null
  readonly userId: string | null
  readonly ownStartedAt: number | null
  readonly ownEndedAt: number | null
}

/**
 * The newest version of one trace without its steps: the row of the feed, and the start of an append. Times are
 * milliseconds since 1970 UTC; `null` is unknown.
 */
export interface TraceRecord extends SentTrace {
  readonly projectId: ProjectId
  readonly id: TraceId
  /** The commit that wrote this version: the service's own receive order, never a client's time. */
  readonly version: number
  readonly createdAt: number
  /** `expired`: by retention, so that the numbers of its metric events stay in series. */
  readonly deleted: boolean | 'expired'
  readonly status: 'ok' | 'error'
  readonly flagged: boolean
  readonly flagReason: string | null
  /** How many steps have the status error. */
  readonly failedSteps: number
  /** Earliest start and latest end seen on the steps. */
  readonly stepsStartedAt: number | null
  readonly stepsEndedAt: number | null
  readonly stepCount: number
  readonly tokenUsage: TokenUsage
  readonly models: readonly string[]
  /** Sum of the steps' stored bodies, bytes. */
  readonly bodyBytes: number
  /** The step that arrived last: the inferred parent of the next one. */
  readonly lastStepId: StepId | null
  /** Null for a trace that did not come as spans of OpenTelemetry. */
  readonly spans: SpanProgress | null
  /**
   * Whether it is not complete yet: it comes in pieces, and was not quiet for long enough after its root had come.
   * Once it is complete, it stays so, whatever comes later.
   */
  readonly growing: boolean
  /** When its latest steps or changes were committed; null if nothing came after the commit that created it. */
  readonly updatedAt: number | null
  readonly digest: TraceDigest
}

/** The facts about the steps of a trace that lists show. */
export interface TraceDigest {
  /** The first text of a user: that of the root, else of the step that began first. */
  readonly input: SaidText | null
  /** The last answer of a model: that of the root, else of the step that ended last. */
  readonly output: SaidText | null
  /** Why the first step failed that says why. */
  readonly error: SaidText | null
  /** Tokens by model, for the cost at current prices; null if the steps used too many models to be counted. */
  readonly usage: readonly ModelUsage[] | null
  /**
   * Whether steps name their parents, so that their usage is counted by the tree (usage-tree.ts), and whether some have
   * usage that may be counted on others.
   */
  readonly nesting: 'none' | 'nested' | 'overlaps'
  /** When the last failed step ended, and the last call of a model that did not fail; null without one. */
  readonly failedAt: number | null
  readonly answeredAt: number | null
  readonly errorTypes: readonly string[]
  readonly calls: RunCalls
  /** How often each rule of masking applied to what was written, by its name. Absent if none did. */
  readonly masked?: Readonly<Record<string, number>>
}

/** What a run called and got back, so far as repetitions are found by it: see run-calls.ts. */
export interface RunCalls {
  /** How many calls have a result. */
  readonly done: number
  /** A call of a model whose result has not come. */
  readonly open: { readonly call: string; readonly tool: string; readonly at: number } | null
  /** The tokens of the latest call of a model, unless they are wasted already. */
  readonly asked: Wasted | null
  /** The latest different calls and answers, each by its hash; the latest one is the last. */
  readonly seen: readonly SeenCall[]
  /** Values from nowhere, once somebody has searched for them: see unfounded-values.ts. */
  readonly unfounded?: readonly UnfoundedValue[]
}

/** An argument of a call that no input and no result before in the run has. */
export interface UnfoundedValue {
  readonly tool: string
  /** A JSON pointer into the arguments. */
  readonly path: string
  /** The position of the step. */
  readonly at: number
}

export interface SeenCall {
  readonly key: string
  /** How many calls had been done when it was done last. */
  readonly last: number
  /** Positions of the first steps that made it. */
  readonly at: readonly number[]
  /** Of an answer of a model, the input tokens of its latest step. */
  readonly input?: number
  /** From the second time on. */
  readonly repeated?: Wasted & {
    /** '' for an answer. */
    readonly tool: string
    readonly times: number
    /** After how many calls it came again, and whether it did so twice in a row; then, when. */
    readonly gap: number
    readonly cycleAt: number | null
  }
}

export interface Wasted {
  readonly tokens: number
  readonly usage: readonly ModelUsage[]
}

/** What a run did again and again, or a value from nowhere: see run-calls.ts. */
export interface Finding extends Wasted {
  readonly kind: FindingKind
  /** Of a value, the JSON pointer of its argument; else null. */
  readonly argument: string | null
  /** The tools that it called; none for an answer. */
  readonly tools: readonly string[]
  readonly times: number
  /** Positions of the first of its steps, in ascending order. */
  readonly at: readonly number[]
}

/** The preview of a text, and where its step stands in the run. */
export interface SaidText {
  readonly text: string
  /** The step is the root. */
  readonly isRoot: boolean
  /** When the step began, for an answer when it ended; null if unknown. */
  readonly time: number | null
  /** The position of the step. */
  readonly at: number
}

export interface ModelUsage {
  /** As `pricedName`. */
  readonly model: string
  /** Summed over the steps; of each step, `input` is at least its cached tokens, so that prices are linear. */
  readonly tokens: PricedTokens
}

/** Whether the root has come: of spans, one without a parent. A trace that does not come as spans needs none. */
export function hasRoot({ spans }: Pick<TraceRecord, 'spans'>): boolean {
  return spans?.rootSeen ?? true
}

/** How much of a trace has come that is sent in pieces. */
export interface SpanProgress {
  /** Whether a span without a parent has come. */
  readonly rootSeen: boolean
  /** How the root ended, `unset` if it did not say so; null until it has. */
  readonly rootStatus: 'ok' | 'error' | 'unset' | null
  /** The root that says so. */
  readonly rootId?: StepId
  /** No end of a root came for a while after the last span, so a failed step makes the trace fail. */
  readonly isGivenUp?: true
  /** Rank of the span that the trace has its name from, and when that span began; see `SpanFacts.nameRank`. */
  readonly nameRank: number
  readonly nameStartedAt: number | null
  /** The order of the root's part that the name is from, and of its latest part; see `SpanFacts.partAt`. */
  readonly nameAt?: number
  readonly partAt?: number
  /** What the root's parts have said: `session_id`, `user_id`, and keys of metadata as `metadata.KEY`. */
  readonly rootSaid?: readonly string[]
  /** The run type was chosen by the sender; see `SpanFacts.isRunTypeGiven`. */
  readonly isRunTypeGiven?: true
  /** Spans that are the trace itself. Steps name them as their parent, but they are no steps. */
  readonly traceSpans?: readonly TraceSpan[]
}

export interface TraceSpan {
  readonly id: StepId
  readonly parentId: StepId | null
}
