import type { StepBatch } from '../model/step-batch.ts'
import type { TraceArchive } from './trace-archive.ts'
import type { TraceHead } from './trace-head.ts'

export type ArchiveReads = Pick<TraceArchive, 'stepText' | 'text' | 'exchange' | 'turnsText'>

/** Requests to the worker that stores a trace. A response has the same `id`. */
export type WorkerRequest =
  /** The next bytes of the trace. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  | { readonly kind: 'page'; readonly id: number; readonly bytes: Uint8Array }
  /** Something that the archive has. */
  | { readonly kind: 'read'; readonly id: number; readonly of: keyof ArchiveReads; readonly given: readonly unknown[] }
  /** Also covers later steps, until the next search; an empty text ends it. */
  | { readonly kind: 'search'; readonly text: string }

export type WorkerMessage =
  /** The result of bytes: the trace without its steps, once, and steps. */
  | { readonly kind: 'read'; readonly head: TraceHead | null; readonly batch: StepBatch | null }
  /** Everything has been received, including the fields after the steps. */
  | { readonly kind: 'end'; readonly head: TraceHead }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  /** Matches since the last message; all steps before `upTo` have been searched. */
  | { readonly kind: 'found'; readonly text: string; readonly steps: readonly number[]; readonly upTo: number }
