import type { MessagePart } from '@spoor/payloads/message-parts'

interface Source {
  readonly stepId: string
  /** When the step began, or when it was received. */
  readonly at: string
  /** What the model used: on the last turn that its step brought. */
  readonly answer?: Answer
}

interface Answer {
  readonly model: string | null
  readonly tokens: number | null
  /** US dollars. */
  readonly cost: number | null
  /** The cost is the sender's own. */
  readonly isSenderCost: boolean
}

export interface PromptTurn extends Source {
  readonly kind: 'prompt'
  readonly text: string
  /** Those before; null for the first ones. */
  readonly previous: string | null
}

/** What a person or a model said. */
export interface MessageTurn extends Source {
  readonly kind: 'message'
  readonly role: string
  readonly parts: readonly MessagePart[]
}

export interface ToolTurn extends Source {
  readonly kind: 'tool'
  /** The step of the tool if it has one, else the step with the call. */
  readonly stepId: string
  /** Null for a result that does not name its tool, and whose call is unknown. */
  readonly name: string | null
  /** Undefined if unknown. */
  readonly input: unknown
  /** Null without a result. */
  readonly result: readonly MessagePart[] | null
  readonly failed: boolean
  /** Why it failed, if its step says so. */
  readonly error: string | null
}

export interface ErrorTurn extends Source {
  readonly kind: 'error'
  readonly step: string
  readonly text: string
}

/** One entry of a conversation, with the step that it comes from. */
export type Turn = PromptTurn | MessageTurn | ToolTurn | ErrorTurn
