import type { MessagePart } from '@spoor/payloads/message-parts'

/** What a person or a model said. */
export interface MessageTurn {
  readonly kind: 'message'
  readonly stepId: string
  readonly role: string
  readonly parts: readonly MessagePart[]
}

/** One call of a tool with what it returned. */
export interface ToolTurn {
  readonly kind: 'tool'
  /** The step of the tool if it has one, else the step with the call. */
  readonly stepId: string
  /** Null for a result whose call is unknown. */
  readonly name: string | null
  /** Undefined if unknown. */
  readonly input: unknown
  /** Null without a result. */
  readonly result: readonly MessagePart[] | null
  readonly failed: boolean
  /** Why it failed, if its step says so. */
  readonly error: string | null
}

/** A failed step. */
export interface ErrorTurn {
  readonly kind: 'error'
  readonly stepId: string
  readonly step: string
  readonly text: string
}

/** One entry of a conversation, with the step that it comes from. */
export type Turn = MessageTurn | ToolTurn | ErrorTurn
