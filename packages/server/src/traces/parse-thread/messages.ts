import type { FieldError, ErrorCode } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import type { Masking } from '@spoor/contract/schemas/masking'
import type { Limits } from '@spoor/contract/limits'
import type {
  PreparedSpan,
  PreparedStep,
  PreparedTrace,
  RejectedSpans,
  SpanMedia,
} from '../../ports/traces/prepared.ts'
import type { TraceForm } from '../intake/parse-trace.ts'
import type { SpanForm } from '../otlp/otlp-encoding.ts'

/** A body contains a trace, is one line of an append and contains a step, or is an export of spans. */
export type Holds = TraceForm | 'step' | SpanForm

/** The content of a body beside its steps. */
export interface Rest {
  /** Null for a step and for an export. */
  readonly trace: Omit<PreparedTrace, 'steps'> | null
  /** Null unless the body is an export. */
  readonly rejected: RejectedSpans | null
  /** Of an export. Its bytes are transferred. */
  readonly media: readonly SpanMedia[]
}

/**
 * The messages between the service and the thread that parses large bodies. Each message has one reply, so neither side
 * runs ahead.
 */
export type ToThread =
  | {
      readonly kind: 'parse'
      readonly holds: Holds
      readonly bytes: Uint8Array
      readonly projectId: ProjectId
      readonly limits: Limits
      readonly masking: Masking | null
    }
  /** Answers `media`. */
  | { readonly kind: 'missing'; readonly uris: ReadonlySet<string> }
  | { readonly kind: 'more' }

export type FromThread =
  /** The distinct media that the steps name. The service replies with the media that the project lacks. */
  | { readonly kind: 'media'; readonly uris: readonly string[] }
  /** The next steps. Send `more` for what follows. */
  | {
      readonly kind: 'steps'
      readonly items: readonly PackedItem[]
      readonly bodies: Uint8Array
    }
  /** All steps were sent. */
  | ({ readonly kind: 'parsed' } & Rest)
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly detail: string
      readonly errors: readonly FieldError[]
    }
  | { readonly kind: 'failed'; readonly stack: string }

/** Of an export a span with its step. */
export type Item = PreparedStep | PreparedSpan
export type PackedItem = PackedStep | (Omit<PreparedSpan, 'step'> & { readonly step: PackedStep })

/** The body of a step lies in `bodies`, which is transferred, not copied: one buffer instead of one for each step. */
export interface PackedStep extends Omit<PreparedStep, 'body'> {
  /** Where it begins and ends. */
  readonly body: readonly [number, number]
}
