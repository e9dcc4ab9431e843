import type { StepBatch } from '../model/step-batch.ts'
import type { TraceHead } from './trace-head.ts'

/** What the page asks of the worker that keeps a trace. `id` names the answer. */
export type WorkerRequest =
  /** The next bytes of the trace. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  | { readonly kind: 'page'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'step'; readonly id: number; readonly step: number }
  | { readonly kind: 'text'; readonly id: number }
  /** Goes on with steps that come later, until the next search; an empty text ends it. */
  | { readonly kind: 'search'; readonly text: string }

export type WorkerMessage =
  /** What bytes have told: the trace without its steps, once, and steps. */
  | { readonly kind: 'read'; readonly head: TraceHead | null; readonly batch: StepBatch | null }
  /** All has come, and with it what stands behind the steps. */
  | { readonly kind: 'end'; readonly head: TraceHead }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  /** Of the steps before `upTo`: those that were found since the last message. */
  | { readonly kind: 'found'; readonly text: string; readonly steps: readonly number[]; readonly upTo: number }
