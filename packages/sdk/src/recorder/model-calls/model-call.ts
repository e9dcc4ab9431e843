import type { TokenUsage } from '../recorder-options.ts'

export type Json = Readonly<Record<string, unknown>>

/** What an answer says. A field that it does not have is absent. */
export interface ModelAnswer {
  readonly model?: string
  readonly messages: readonly object[]
  readonly usage?: TokenUsage
  /** Why the model ended. */
  readonly reason?: string
}

/** One of the APIs. */
export interface ModelApi {
  readonly name: string
  readonly stepType: 'llm' | 'embedding'
  /** The messages of a request. */
  messagesOf(request: Json): readonly object[]
  answerOf(answer: Json): ModelAnswer
  /** Joins the events of a stream to the answer that a request without a stream would have had. */
  joined(events: readonly Json[]): Json
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** A number or zero. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0
}

/** A message whose content is a text, a list of parts, or nothing. */
export function message(role: string, content: unknown, rest: Json = {}): object {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return Array.isArray(parts) ? { role, content: parts, ...rest } : { role, ...rest }
}

/** Only fields that have a value. */
export function defined<T extends object>(fields: { [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
