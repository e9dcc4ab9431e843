import type { FieldError, ErrorCode } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { PreparedStep, PreparedTrace } from '../../ports/traces/prepared.ts'

/** A body holds a whole trace, or is one line of an append and holds a step. */
export type Holds = 'trace' | 'step'

/** What was in a body. */
export interface Parsed {
  /** Null for a step. */
  readonly trace: Omit<PreparedTrace, 'steps'> | null
  readonly steps: readonly PreparedStep[]
}

/**
 * What the service and the thread that parses large bodies say to each other: each message is answered by one, so
 * neither gets ahead.
 */
export type ToThread =
  | {
      readonly kind: 'parse'
      readonly holds: Holds
      readonly bytes: Uint8Array
      readonly projectId: ProjectId
      readonly limits: Limits
    }
  /** Answers `media`. */
  | { readonly kind: 'missing'; readonly uris: ReadonlySet<string> }
  | { readonly kind: 'more' }

export type FromThread =
  /** The media that the steps name, each once. Which of them does the project not have? */
  | { readonly kind: 'media'; readonly uris: readonly string[] }
  /** The steps follow: ask for `more` until `last`. */
  | { readonly kind: 'parsed'; readonly trace: Parsed['trace']; readonly bodies: Uint8Array }
  | { readonly kind: 'steps'; readonly steps: readonly PackedStep[]; readonly last: boolean }
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly detail: string
      readonly errors: readonly FieldError[]
    }
  | { readonly kind: 'failed'; readonly stack: string }

/** Its body lies in `bodies`: memory that is handed over, not copied, and one piece instead of one for each step. */
export interface PackedStep extends Omit<PreparedStep, 'body'> {
  readonly bodyStart: number
  readonly bodyEnd: number
}
